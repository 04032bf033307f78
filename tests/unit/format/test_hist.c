/* SPDX-License-Identifier: BSD-2-Clause */
/* The pause histogram: within 6.25 %, never below the truth, never above the maximum. */
#include "tests/unit/format/trace.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(quantiles_are_within_a_sixteenth)
{
	static uint64_t v[10000];
	struct upf_hist h = {0};
	uint64_t seed = 1;

	for (size_t i = 0; i < COUNT(v); i++) {
		v[i] = pseudo(&seed) >> (20 + pseudo(&seed) % 44);
		upf_hist_add(&h, v[i]);
	}
	qsort(v, COUNT(v), sizeof(*v), by_value);
	assert_int_equal(h.count, COUNT(v));
	assert_true(h.max_ns == v[COUNT(v) - 1]);
	for (unsigned permille = 1; permille <= 1000; permille++) {
		uint64_t truth = v[(COUNT(v) * permille + 999) / 1000 - 1], got = upf_hist_quantile(&h, permille);

		assert_true(got >= truth && got <= h.max_ns);
		if (truth < UINT64_C(31) << 38) /* where the last bucket begins: it holds all above */
			assert_true(got <= truth + truth / 16 + 1);
	}
}

TEST(extremes)
{
	struct upf_hist h = {0};

	assert_int_equal(upf_hist_quantile(&h, 500), 0);
	upf_hist_add(&h, 0);
	assert_int_equal(upf_hist_quantile(&h, 1000), 0);
	upf_hist_add(&h, UINT64_MAX);
	assert_true(upf_hist_quantile(&h, 1000) == UINT64_MAX);
	assert_int_equal(upf_hist_quantile(&h, 500), 0);
}

TEST(one_value_is_itself)
{
	for (uint64_t v = 0; v < 100000; v += 7) {
		struct upf_hist h = {0};

		upf_hist_add(&h, v);
		assert_true(upf_hist_quantile(&h, 1) == v && upf_hist_quantile(&h, 1000) == v);
	}
}
