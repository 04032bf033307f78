/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "common/radix_sort.h"

#define N 5000u

struct numbers {
	uint64_t of[N];
	unsigned asked;
};

static uint64_t key(const void *ctx, uint32_t id)
{
	((struct numbers *)ctx)->asked++;
	return ((const struct numbers *)ctx)->of[id];
}

/* Sorted, and equal ones in the order that they had. */
static void check(const struct numbers *n, const uint32_t *ids)
{
	for (size_t i = 1; i < N; i++) {
		uint64_t before = n->of[ids[i - 1]], at = n->of[ids[i]];

		assert_true(before < at || (before == at && ids[i - 1] < ids[i]));
	}
}

TEST(sorts)
{
	static const uint64_t masks[] = {0, 1, 7, 0xfff, UINT64_MAX, 0xff00000000000000, 0x7ff0001};
	static struct numbers n;
	uint64_t random = 88172645463325252u;

	for (size_t m = 0; m < COUNT(masks); m++) {
		uint32_t *ids = radix_sort_ids(N);

		assert_non_null(ids);
		n.asked = 0;
		for (size_t i = 0; i < N; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			n.of[i] = (random ^ random >> 29) & masks[m];
		}
		assert_int_equal(radix_sort(ids, N, key, &n), 0);
		assert_int_equal(n.asked, N); /* linear: each number is looked at once */
		check(&n, ids);
		free(ids);
	}
}

TEST(nothing)
{
	uint32_t *ids = radix_sort_ids(0);

	assert_non_null(ids);
	assert_int_equal(radix_sort(ids, 0, key, NULL), 0);
	free(ids);
}
