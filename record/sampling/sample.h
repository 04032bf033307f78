/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.h - takes one round of samples: pause a domain, read and walk its vCPUs, unpause. */
#ifndef RECORD_SAMPLING_SAMPLE_H
#define RECORD_SAMPLING_SAMPLE_H

#include "record/sampling/target.h"

enum round_kind {
	ROUND_TAKEN,  /* the target's samples are new */
	ROUND_SAME,   /* nothing ran since the last round, nothing was paused; CPU times are 0 */
	ROUND_PAUSED, /* somebody else holds the domain paused: not sampled */
	ROUND_VOID,   /* somebody else undid our pause while we read: what was read may be torn */
	ROUND_ENDED,  /* the domain is gone, dying or shut down; its pages are unmapped */
	ROUND_FAILED, /* the hypervisor refused: error */
};

struct round {
	enum round_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC when the round began */
	uint64_t
		/* how long the guest stood still, from before the call that pauses to after the one that resumes */
		pause_ns;
	unsigned pauses;       /* how many; 2 when a page had to be mapped in between */
	uint64_t paused_ns[2]; /* each of them */
	bool shutdown;         /* ROUND_ENDED: shut down with @shutdown_code; else it is dying or gone */
	uint8_t shutdown_code;
	int error; /* ROUND_FAILED: negative errno */
	bool held; /* ROUND_FAILED: our pause could not be undone; the watchdog will try again */
};

/* Maps the pages that the vCPUs' stacks lie on now, without pausing the guest, so that the first round finds them. */
void sample_warm(struct target *t);

/* One round. Two calls to the hypervisor for a busy guest whose pages are mapped,
 * one for a guest that slept before and still does, three when it woke up; a page not mapped yet costs a second pause.
 */
struct round sample_round(struct target *t);

/*
 * Did the domain end? Asks without pausing anything. If so all is as after a round that found it: @r is ROUND_ENDED.
 */
bool sample_ended(struct target *t, struct round *r);

#endif
