/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "record/process/clock.h"
#include "record/sampling/timer.h"

#define START 1000000000000ull

/* A million deadlines later each still lies within a quarter period of where it belongs, whatever the rate. */
static void never_drifts(void **state)
{
	static const uint64_t rates[] = {99000, 1000000, 333, 7777777, 1000000000};

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++) {
		struct sampling_timer p;
		double period = 1e12 / (double)rates[i];

		timer_init(&p, START, rates[i], 42);
		for (uint64_t k = 0; k < 1000000; k++) {
			double off = (double)(int64_t)(timer_next(&p) - START) - (double)k * period;

			assert_true(off > -period / 4 - 2 && off < period / 4 + 2);
		}
	}
}

/* The jitter uses the whole window and has no preferred side. */
static void jitters(void **state)
{
	struct sampling_timer p;
	int bins[10] = {0};

	(void)state;
	timer_init(&p, 1000000000, 1000000, 7);
	for (uint64_t k = 0; k < 100000; k++) {
		int64_t off = (int64_t)(timer_next(&p) - 1000000000) - (int64_t)(k * 1000000) + 250000;

		assert_in_range(off, 0, 499999);
		bins[off / 50000]++;
	}
	for (size_t i = 0; i < COUNT(bins); i++)
		assert_in_range(bins[i], 9500, 10500);
}

static void missed_deadlines(void **state)
{
	struct sampling_timer p;

	(void)state;
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
}

static void waits(void **state)
{
	sigset_t signals;
	uint64_t start = clock_now();

	(void)state;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	assert_int_equal(clock_wait(start + 20000000, &signals), 0);
	assert_true(clock_now() >= start + 20000000);
	assert_int_equal(clock_wait(0, &signals), 0);
	raise(SIGUSR1);
	assert_int_equal(clock_wait(clock_now() + 1000000000000, &signals), SIGUSR1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_drifts),
		cmocka_unit_test(jitters),
		cmocka_unit_test(missed_deadlines),
		cmocka_unit_test(waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
