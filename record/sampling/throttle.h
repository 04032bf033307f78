/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throttle.h - keeps a cost, measured in time, under a share of all time: the time for which one domain is paused, or
 * the CPU time that sampling takes. Every cost is a debt that is paid off as time goes by; until it is paid, nothing
 * more may be spent.
 */
#ifndef RECORD_SAMPLING_THROTTLE_H
#define RECORD_SAMPLING_THROTTLE_H

#include <stdint.h>

struct throttle {
	double share;     /* of time that may be spent; 1 or more: no limit */
	double debt_ns;   /* below 0: saved up, at most the share of THROTTLE_SAVED_NS */
	uint64_t last_ns; /* when that was so; 0: never */
	uint64_t random;  /* xorshift state, never 0 */
};

#define THROTTLE_SAVED_NS 100000000u /* the allowance of a tenth of a second may be saved up */

void throttle_init(struct throttle *b, double share, uint64_t seed);
/* @spent_ns were spent by @now_ns. Returns when more may be spent; 0: at once. */
uint64_t throttle_charge(struct throttle *b, uint64_t now_ns, uint64_t spent_ns);

#endif
