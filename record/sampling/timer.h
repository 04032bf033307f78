/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - when to sample: absolute deadlines every period, each moved by a random part of a quarter period to either
 * side so that sampling never runs in step with the guest's own timers. Never drifts: the k-th deadline lies at start
 * + k periods.
 */
#ifndef RECORD_SAMPLING_TIMER_H
#define RECORD_SAMPLING_TIMER_H

#include <signal.h>
#include <stdint.h>

struct sampling_timer {
	uint64_t start_ns; /* CLOCK_MONOTONIC of deadline 0 */
	uint64_t rate_mhz; /* deadlines a second, in millihertz */
	uint64_t next;     /* number of the next deadline */
	uint64_t random;   /* xorshift state, never 0 */
};

void timer_init(struct sampling_timer *p, uint64_t start_ns, uint64_t rate_mhz, uint64_t seed);
/* Time of the next deadline, jittered; moves on to the one after. */
uint64_t timer_next(struct sampling_timer *p);
/* How many deadlines went by before @now_ns; they are passed over. */
uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns);
uint64_t timer_period_ns(const struct sampling_timer *p);

uint64_t clock_now(void); /* CLOCK_MONOTONIC, ns */
uint64_t clock_cpu(void); /* CPU time that the calling thread has used, ns */
/*
 * Sleeps until CLOCK_MONOTONIC is @deadline_ns, or one of @signals, which must be blocked, is pending: its number,
 * else 0.
 */
int clock_wait(uint64_t deadline_ns, const sigset_t *signals);

#endif
