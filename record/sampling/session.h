/* SPDX-License-Identifier: BSD-2-Clause */
/* session.h - one recording, from its first deadline to its last block: what it works on, and its outcome. */
#ifndef RECORD_SAMPLING_SESSION_H
#define RECORD_SAMPLING_SESSION_H

#include <signal.h>
#include <stdatomic.h>

#include "format/upf.h"
#include "record/output/record_stream.h"
#include "record/output/trace_output.h"
#include "record/sampling/finder.h"
#include "record/sampling/inquiry.h"
#include "record/sampling/target.h"
#include "record/watchdog/watchdog.h"

struct session_options {
	uint64_t rate_mhz;
	uint64_t duration_ns; /* 0: until stopped */
	uint64_t rounds;      /* 0: no limit */
	uint64_t vcpus[UPF_VCPUS_MAX / 64];
	bool some_vcpus;       /* sample only @vcpus */
	double max_overhead;   /* share of time that a domain may be paused */
	uint64_t max_pause_ns; /* a longer pause is ended by the watchdog */
	double max_cpu;        /* share of one CPU that sampling may use */
	bool follow;           /* domains that come back after their end */
	struct {
		bool on;
		uint64_t bytes, ns; /* begin another trace at this size or age; both 0: on SIGUSR2 */
	} switching;                /* --switch-output */
	bool flight_recorder;       /* --overwrite: SIGUSR2 asks for a dump */
	bool missed, quiet;         /* report missed deadlines; report nothing else */
};

/* Written by the sampling thread, read by the writer thread. */
struct live_counters {
	atomic_ullong rounds, samples, late, lost, paused_ns, elapsed_ns;
};

struct session {
	const struct session_options *options;
	struct hypervisor *x;
	struct target **targets;
	size_t ntargets;
	struct watchdog *watchdog;
	struct finder *finder;  /* --follow; else NULL */
	struct inquiry inquiry; /* for all targets */
	struct trace_output *output;
	sigset_t signals;  /* those that are waited for; blocked */
	uint64_t began_ns; /* CLOCK_MONOTONIC when recording began */
	uint64_t start_ns; /* at time 0 of the trace being written */
	uint64_t seed;
	struct record_stream records;
	struct live_counters live;

	/* the outcome: */
	enum upf_reason reason;
	int signal;         /* UPF_REASON_SIGNAL: which */
	int error;          /* UPF_REASON_ERROR, _OUTPUT: negative errno */
	const char *failed; /* UPF_REASON_ERROR: what failed */
	const struct target
		*refused; /* and the domain that could not be paused or read; NULL: it was something else */
	struct {
		uint64_t for_pauses, for_cpu; /* --max-overhead, --max-cpu */
	} throttled;                          /* deadlines skipped to stay under a limit */
	uint64_t overruns;                    /* pauses that the watchdog undid, as longer than --max-pause */
	uint64_t retaken; /* rounds taken again: copies lacked parts of a stack, or a sleeping vCPU had run */
};

/* The time in the trace that is being written, of CLOCK_MONOTONIC's @time_ns. ns. */
static inline uint64_t session_time(const struct session *s, uint64_t time_ns)
{
	return time_ns > s->start_ns ? time_ns - s->start_ns : 0;
}

#endif
