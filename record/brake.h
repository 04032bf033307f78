/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brake.h - keeps the time that one domain stands still under a share of all time: every pause is a debt that is paid off as
 * time goes by, and until it is paid there is no next one.
 */
#ifndef RECORD_BRAKE_H
#define RECORD_BRAKE_H

#include <stdint.h>

struct brake {
	double share;     /* of time that may be paused; 1 or more: no limit */
	double debt_ns;   /* below 0: in hand, for at most BRAKE_IN_HAND_NS of time */
	uint64_t last_ns; /* when that was so; 0: never */
	uint64_t random;  /* xorshift state, never 0 */
};

#define BRAKE_IN_HAND_NS 100000000u /* a tenth of a second's allowance may be saved up */

void brake_init(struct brake *b, double share, uint64_t seed);
/* The domain stood still for @paused_ns until @now_ns. When it may be paused again; 0: at once. */
uint64_t brake_paused(struct brake *b, uint64_t now_ns, uint64_t paused_ns);

#endif
