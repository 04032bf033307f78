/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of time that a domain may be paused is kept, whatever the pauses are like. */
#include "tests/unit/unit.h"

#include "record/sampling/throttle.h"

#define S 1000000000ull

/* Pauses as fast as they may come, each @pause long, for @seconds; the share of time that was paused. */
static double pause_all_the_time(double share, uint64_t pause, uint64_t seconds, uint64_t *pauses)
{
	struct throttle b;
	uint64_t now = S, end = S + seconds * S, paused = 0;

	throttle_init(&b, share, 7);
	for (*pauses = 0; now < end; ++*pauses) {
		uint64_t until;

		now += pause;
		paused += pause;
		until = throttle_charge(&b, now, pause);
		assert_true(until == 0 || until > now);
		now = until ? until : now + 1000;
	}
	return (double)paused / (double)(seconds * S);
}

TEST(share_is_kept)
{
	static const double shares[] = {0.00001, 0.001, 0.01, 0.1, 0.5};
	static const uint64_t pauses[] = {1000, 20000, 5000000};
	uint64_t n;

	for (size_t i = 0; i < COUNT(shares); i++) {
		for (size_t k = 0; k < COUNT(pauses); k++) {
			double got = pause_all_the_time(shares[i], pauses[k], 100, &n);

			/* One pause more than its share may be under way. */
			assert_true(got <= shares[i] * 1.01 + (double)pauses[k] / (100.0 * S));
			assert_true(n < 10 || got >= shares[i] * 0.95);
		}
	}
}

TEST(no_limit)
{
	struct throttle b;

	throttle_init(&b, 1, 1);
	for (uint64_t now = S; now < 2 * S; now += S / 10)
		assert_true(throttle_charge(&b, now, S / 10) == 0);
}

/* An hour without a pause does not earn a minute of standing still. */
TEST(nothing_is_saved_up)
{
	struct throttle b;
	uint64_t now = 3600 * S, paused = 0;

	throttle_init(&b, 0.01, 1);
	throttle_charge(&b, S, 1000);
	while (throttle_charge(&b, now, 100000) == 0) {
		paused += 100000;
		now += 100000;
	}
	assert_true(paused <= THROTTLE_SAVED_NS / 50);
}
