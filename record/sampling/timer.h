/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - when to sample. Time is divided into periods, and each has one deadline, drawn uniformly from all of it
 * (stratified sampling). So every instant is as likely to be sampled as any other, whatever the guest's own rhythm,
 * and the rate never drifts.
 */
#ifndef RECORD_SAMPLING_TIMER_H
#define RECORD_SAMPLING_TIMER_H

#include <stdint.h>

struct sampling_timer {
	uint64_t start_ns; /* CLOCK_MONOTONIC at which the first period begins */
	uint64_t rate_mhz; /* deadlines a second, in millihertz */
	uint64_t next;     /* number of the period whose deadline is next */
	uint64_t random;   /* xorshift state, never 0 */
};

void timer_init(struct sampling_timer *p, uint64_t start_ns, uint64_t rate_mhz, uint64_t seed);
/* Time of the next deadline; moves on to the one after. */
uint64_t timer_next(struct sampling_timer *p);
/* Skips the deadlines that passed before @now_ns. Returns how many. */
uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns);
uint64_t timer_period_ns(const struct sampling_timer *p);

#endif
