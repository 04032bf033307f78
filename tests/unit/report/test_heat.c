/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/heat.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define SECOND 1000000000ull

/* A sample of one of @stacks each @step_ns, from @from_ns on, for @span_ns. The columns that it becomes. */
static uint32_t columns_of(uint64_t rate_mhz, uint64_t from_ns, uint64_t span_ns, uint64_t step_ns, uint32_t stacks)
{
	uint32_t *called = malloc(stacks * sizeof(*called)), columns;
	uint64_t sum = 0, added = 0;
	struct heat h;

	assert_non_null(called);
	heat_init(&h, rate_mhz, from_ns);
	for (uint64_t t = 0; t < span_ns; t += step_ns, added++)
		assert_int_equal(heat_add(&h, from_ns + t, 1, (uint32_t)(added * 7919 % stacks), stacks), 0);
	for (uint32_t i = 0; i < stacks; i++)
		called[i] = i;
	heat_finish(&h, from_ns + span_ns, called);
	for (size_t i = 0; i < h.n; i++) {
		assert_in_range(h.entries[i].cell, 0, h.cells - 1);
		sum += h.entries[i].weight;
	}
	assert_int_equal(sum, added);
	assert_in_range(h.rows, 1, HEAT_ROWS_MAX);
	assert_true(h.cells * h.cell_ns >= span_ns);
	columns = (h.cells + h.rows - 1) / h.rows;
	heat_free(&h);
	free(called);
	return columns;
}

TEST(columns_fill_a_picture)
{
	static const uint64_t seconds[] = {
		1, 5, 20, 59, 60, 299, 301, 3600, 25 * 3600, 10 * 86400, 9 * 365 * 86400ull};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		uint64_t span = seconds[i] * SECOND;

		assert_in_range(columns_of(99000, 0, span, span / 3000, 10), HEAT_COLUMNS_MIN, HEAT_COLUMNS_MAX);
		assert_in_range(columns_of(1000000, span, span, span / 3000, 10), HEAT_COLUMNS_MIN, HEAT_COLUMNS_MAX);
		assert_in_range(columns_of(0, 7, span, span / 3000, 10), 5, HEAT_COLUMNS_MAX);
	}
	assert_int_equal(columns_of(99000, 0, 60 * SECOND, SECOND / 99, 10), 60); /* a second each, if that fits */
}

/* More stacks than entries may be: cells become longer, and columns have fewer rows. */
TEST(many_stacks_keep_the_columns)
{
	assert_in_range(columns_of(99000, 0, 25 * 3600 * SECOND, 25 * 3600 * SECOND / 1500000, 20000),
	                HEAT_COLUMNS_MIN, HEAT_COLUMNS_MAX);
}

TEST(nothing_at_all)
{
	struct heat h;

	heat_init(&h, 99000, 0);
	heat_finish(&h, 0, NULL);
	assert_int_equal(h.cells, 0);
	heat_free(&h);
	heat_init(&h, 1, UINT64_MAX);
	assert_int_equal(heat_add(&h, 5, 1, 0, 1), 0);
	heat_finish(&h, UINT64_MAX, (const uint32_t[]){0});
	assert_int_equal(h.entries[0].cell, 0);
	heat_free(&h);
}
