/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - when to sample: one deadline in each period, moved at random by up to a quarter of the period to either
 * side, so that sampling is never in step with the guest's own timers. Deadlines are absolute and do not drift: the
 * k-th is around start + k periods.
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
/* The time of the next deadline, with jitter. The one after it becomes the next. */
uint64_t timer_next(struct sampling_timer *p);
/* Skips the deadlines that passed before @now_ns. Returns how many. */
uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns);
uint64_t timer_period_ns(const struct sampling_timer *p);

uint64_t clock_now(void); /* CLOCK_MONOTONIC, ns */
uint64_t clock_cpu(void); /* CPU time that the calling thread has used, ns */
/*
 * Sleeps until CLOCK_MONOTONIC is @deadline_ns, or one of @signals is pending, which must be blocked. Its number, or
 * 0.
 */
int clock_wait(uint64_t deadline_ns, const sigset_t *signals);

#endif
