/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <sys/eventfd.h>

#include "common/clock.h"
#include "record/sampling/timer.h"

#define START 1000000000000ull

/* A million deadlines later each still lies in its own period, whatever the rate. */
TEST(never_drifts)
{
	static const uint64_t rates[] = {99000, 1000000, 333, 7777777, 1000000000};

	for (size_t i = 0; i < COUNT(rates); i++) {
		struct sampling_timer p;
		double period = 1e12 / (double)rates[i];

		timer_init(&p, START, rates[i], 42);
		for (uint64_t k = 0; k < 1000000; k++) {
			double off = (double)(int64_t)(timer_next(&p) - START) - (double)k * period;

			assert_true(off > -2 && off < period + 2);
		}
	}
}

/* Every part of the period is as likely as any other. */
TEST(is_uniform)
{
	struct sampling_timer p;
	int bins[10] = {0};

	timer_init(&p, 1000000000, 1000000, 7);
	for (uint64_t k = 0; k < 100000; k++) {
		int64_t off = (int64_t)(timer_next(&p) - 1000000000) - (int64_t)(k * 1000000);

		assert_in_range(off, 0, 999999);
		bins[off / 100000]++;
	}
	for (size_t i = 0; i < COUNT(bins); i++)
		assert_in_range(bins[i], 9500, 10500);
}

/*
 * A guest in step with the sampling: its cycle, of four parts with known shares, is @num/@den periods long. A million
 * samples show the true shares within 0.2 points.
 */
static void lockstep(uint64_t rate_mhz, uint64_t num, uint64_t den)
{
	static const unsigned shares[] = {50, 30, 15, 5};
	struct sampling_timer p;
	unsigned long counts[COUNT(shares)] = {0};
	uint64_t cycle = 1000000000000ull * num / (rate_mhz * den);

	timer_init(&p, START, rate_mhz, 99);
	for (int k = 0; k < 1000000; k++) {
		uint64_t at = (timer_next(&p) - START) % cycle * 100 / cycle;
		size_t part = 0;

		for (uint64_t end = shares[0]; at >= end; end += shares[part])
			part++;
		counts[part]++;
	}
	for (size_t i = 0; i < COUNT(shares); i++) {
		double off = (double)counts[i] / 10000 - shares[i];

		assert_true(off > -0.2 && off < 0.2);
	}
}

TEST(lockstep_guests)
{
	static const uint64_t rates[] = {99000, 100000, 250000, 1000000};

	for (size_t i = 0; i < COUNT(rates); i++) {
		lockstep(rates[i], 1, 1);
		lockstep(rates[i], 1, 2);
		lockstep(rates[i], 3, 2);
		lockstep(rates[i], 2, 1);
		lockstep(rates[i], 1, 3);
	}
}

TEST(missed_deadlines)
{
	struct sampling_timer p;
	uint64_t next;

	timer_init(&p, 1000, 1000000, 1); /* every millisecond from 1000 ns on */
	timer_next(&p);
	assert_int_equal(timer_skip(&p, 500), 0);
	assert_int_equal(timer_skip(&p, 1000), 0);
	assert_int_equal(timer_skip(&p, 999999), 0);
	/* 1 ms late: deadline 1 may still be kept. 5.5 ms: 1 to 4 are missed, 5 is next. */
	assert_int_equal(timer_skip(&p, 1001000), 0);
	assert_int_equal(p.next, 1);
	assert_int_equal(timer_skip(&p, 5501000), 4);
	assert_int_equal(p.next, 5);
	assert_int_equal(timer_skip(&p, 5501000), 0);
	next = timer_look(&p);
	assert_int_equal(timer_next(&p), next);
	assert_int_not_equal(timer_look(&p), next);
}

TEST(waits)
{
	sigset_t signals;
	uint64_t start = clock_now();

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	assert_int_equal(clock_wait(start + 20000000, &signals), 0);
	assert_true(clock_now() >= start + 20000000);
	assert_int_equal(clock_wait(0, &signals), 0);
	raise(SIGUSR1);
	assert_int_equal(clock_wait(clock_now() + 1000000000000, &signals), SIGUSR1);
}

/* Until a deadline, or until something comes. */
TEST(waits_for_others)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct pollfd p = {.fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN};
	uint64_t deadline = clock_now() + 20000000;

	assert_int_equal(clock_poll(&p, 1, deadline), 0);
	assert_true(clock_now() >= deadline);
	clock_wake(p.fd);
	assert_int_equal(clock_poll(&p, 1, CLOCK_NEVER), 1);
	assert_int_equal(clock_poll(&p, 1, 0), 1);
	close(p.fd);
	pthread_mutex_lock(&lock);
	deadline = clock_now() + 20000000;
	while (clock_await(&cond, &lock, deadline) == 0)
		;
	assert_true(clock_now() >= deadline);
	pthread_mutex_unlock(&lock);
}
