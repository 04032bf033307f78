/* SPDX-License-Identifier: BSD-2-Clause */
/* session.h - one recording, from its first deadline to its last block: the loop of the sampling thread. */
#ifndef RECORD_SAMPLING_SESSION_H
#define RECORD_SAMPLING_SESSION_H

#include <signal.h>
#include <stdatomic.h>

#include "format/upf.h"
#include "record/watchdog/watchdog.h"
#include "record/cli/options.h"
#include "record/output/sink.h"
#include "record/output/queue.h"
#include "record/sampling/finder.h"
#include "record/sampling/target.h"

/* The figures of the status line; written by the sampling thread, read by the writer thread. */
struct live {
	atomic_ullong rounds, samples, late, lost, paused_ns, elapsed_ns;
};

/* An event for which no block was free. */
struct pending_event {
	uint64_t time_ns, value;
	enum upf_event_code code; /* 0: none */
};

struct session {
	const struct options *options;
	struct hypervisor *x;
	struct target **targets;
	size_t ntargets;
	struct watchdog *watchdog;
	struct finder *finder; /* --follow; else NULL */
	struct queue *queue;
	struct sink *sink;
	sigset_t signals;  /* blocked, and waited for together with the clock */
	uint64_t began_ns; /* CLOCK_MONOTONIC when recording began */
	uint64_t start_ns; /* at time 0 of the trace being written */
	uint64_t seed;
	struct queue_slip slip; /* of the block being filled: its totals */

	/* the outcome: */
	struct upf_totals totals; /* of all blocks handed over */
	enum upf_reason reason;
	int signal;         /* UPF_REASON_SIGNAL: which */
	int error;          /* UPF_REASON_ERROR, _OUTPUT: negative errno */
	const char *failed; /* UPF_REASON_ERROR: what failed */
	struct {
		uint64_t for_pauses, for_cpu; /* --max-overhead, --max-cpu */
	} throttled;                          /* deadlines skipped to stay under a limit */
	uint64_t overruns;                    /* pauses that the watchdog undid, as longer than --max-pause */
	struct live live;
	/* by target: samples that found no block free, until they can be recorded as lost */
	uint64_t *unrecorded;
	uint64_t unrecorded_late;
	struct pending_event *pending; /* by target */
};

/* Samples until an end is reached; fills in the outcome. */
void session_run(struct session *s);
/* Records what found no block free, in the last block. It waits for one, so nothing may be paused. */
void session_put_rest(struct session *s);

#endif
