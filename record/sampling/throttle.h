/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throttle.h - keeps the time that one domain stands still under a share of all time: every pause is a debt that is
 * paid off as time goes by, and until it is paid there is no next one.
 */
#ifndef RECORD_SAMPLING_THROTTLE_H
#define RECORD_SAMPLING_THROTTLE_H

#include <stdint.h>

struct throttle {
	double share;     /* of time that may be paused; 1 or more: no limit */
	double debt_ns;   /* below 0: in hand, for at most THROTTLE_IN_HAND_NS of time */
	uint64_t last_ns; /* when that was so; 0: never */
	uint64_t random;  /* xorshift state, never 0 */
};

#define THROTTLE_IN_HAND_NS 100000000u /* a tenth of a second's allowance may be saved up */

void throttle_init(struct throttle *b, double share, uint64_t seed);
/* The domain stood still for @paused_ns until @now_ns. When it may be paused again; 0: at once. */
uint64_t throttle_paused(struct throttle *b, uint64_t now_ns, uint64_t paused_ns);

#endif
