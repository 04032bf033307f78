/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - when to sample. Time is divided into periods, and each has one deadline, drawn uniformly from all of it
 * (stratified sampling). So every instant is as likely to be sampled as any other, whatever the guest's own rhythm,
 * and the rate never drifts. The trace's format knows the deadlines, so that it need not hold them.
 */
#ifndef RECORD_SAMPLING_TIMER_H
#define RECORD_SAMPLING_TIMER_H

#include <stdint.h>

#include "format/upf.h"

struct sampling_timer {
	struct upf_schedule schedule; /* start_ns: CLOCK_MONOTONIC at which the first period begins */
	uint64_t next;                /* number of the period whose deadline is next */
};

void timer_init(struct sampling_timer *p, uint64_t start_ns, uint64_t rate_mhz, uint64_t seed);
/* Time of the next deadline. */
uint64_t timer_look(const struct sampling_timer *p);
/* The same, and moves on to the one after. */
uint64_t timer_next(struct sampling_timer *p);
/* Skips the deadlines that passed before @now_ns. Returns how many. */
uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns);

#endif
