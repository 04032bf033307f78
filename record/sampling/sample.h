/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.h - takes one round of samples: pauses a domain, reads and walks its vCPUs, unpauses it. */
#ifndef RECORD_SAMPLING_SAMPLE_H
#define RECORD_SAMPLING_SAMPLE_H

#include "record/sampling/target.h"

enum round_kind {
	ROUND_TAKEN,  /* the target's samples are new */
	ROUND_SAME,   /* nothing ran since the last round, nothing was paused; CPU times are 0 */
	ROUND_PAUSED, /* somebody else holds the domain paused: not sampled */
	ROUND_AGAIN, /* a single look, at a vCPU that was just outside the guest: not to be kept, another must follow */
	ROUND_VOID,  /* our pause was undone while we read, so what was read may be torn */
	ROUND_ENDED,   /* the domain is gone, dying or shut down; its pages are unmapped */
	ROUND_REFUSED, /* the hypervisor did so this time */
	ROUND_FAILED,  /* the hypervisor refused a call: error */
};

#define ROUND_PAUSES 3 /* most in a round */

struct round {
	enum round_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC when the round began */
	/*
	 * How long the guest was paused: from before the call that pauses until after the one that resumes, or until
	 * the watchdog had undone the pause.
	 */
	uint64_t pause_ns;
	uint64_t cpu_ns;                  /* used by another thread for it (struct hypervisor_ops, run) */
	uint64_t began_ns;                /* CLOCK_MONOTONIC: when the last pause began */
	bool again;                       /* it was taken more than once */
	unsigned pauses;                  /* how many; none each time that no vCPU was held */
	uint64_t paused_ns[ROUND_PAUSES]; /* each of them */
	unsigned overruns;                /* how many of them the watchdog undid, as too long */
	bool shutdown; /* with @shutdown_code. ROUND_ENDED without it: it is dying or gone; others: see target.look */
	uint8_t shutdown_code;
	int error; /* ROUND_FAILED: negative errno */
	/* ROUND_FAILED: our pause may still be in force; at the recorder's end the watchdog tries to undo it */
	bool stuck;
};

/* Maps the pages that the vCPUs' stacks are on now, without pausing the guest, so that the first round finds them. */
void sample_warm(struct target *t);

/* The next round begins by asking whether the domain has run, as it did not seem to when last looked at. */
bool sample_asks_first(const struct target *t);
/*
 * Takes one round. Two hypercalls for a busy guest whose pages are mapped, one for a guest that slept before and still
 * does, three when it woke up; one less if inquiry_make() has asked. A page not mapped yet costs a second pause.
 */
struct round sample_round(struct target *t);

/* Asks, without a pause, whether the domain has ended. True: @r is a ROUND_ENDED, and all is as after such a round. */
bool sample_ended(struct target *t, struct round *r);

#endif
