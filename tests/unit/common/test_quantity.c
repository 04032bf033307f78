/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "common/quantity.h"
#include "report/output/text.h"

/* A unit ends where its last digit would round up to the next. */
TEST(times)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {
		{0, "0 us"},
		{351, "0.351 us"},
		{2345, "2.35 us"},
		{999499, "999 us"},
		{999500, "1.0 ms"},
		{1000000, "1.0 ms"},
		{999949999, "999.9 ms"},
		{999950000, "1.0 s"},
		{599900000000, "599.9 s"},
		{600000000000, "0 h 10 min"},
		{UINT64_MAX, "5124095 h 34 min"},
	};
	char text[QUANTITY_SIZE];

	for (size_t i = 0; i < COUNT(times); i++)
		assert_string_equal(quantity_time(text, times[i].ns), times[i].text);
}

/* Halves, too, round in one way for both programs: of 2,050,000 ns one said 2.0 and the other 2.1 ms. */
TEST(programs_agree)
{
	char text[QUANTITY_SIZE];

	for (uint64_t ns = 5; ns < 1000000; ns += 10)
		assert_string_equal(quantity_time(text, ns), text_time(ns).s);
	for (uint64_t ns = 1050000; ns < 1000000000; ns += 100000)
		assert_string_equal(quantity_time(text, ns), text_time(ns).s);
}

TEST(sizes_and_ratios)
{
	char text[QUANTITY_SIZE];

	assert_string_equal(quantity_bytes(text, 9999), "9999 B");
	assert_string_equal(quantity_bytes(text, 10000), "10.0 kB");
	assert_string_equal(quantity_bytes(text, 12300000), "12.3 MB");
	assert_true(quantity_percent(1, 4) == 25.0);
	assert_true(quantity_percent(1, 0) == 0.0);
	assert_true(quantity_per_second(100, 500000000) == 200.0);
	assert_true(quantity_per_second(100, 0) == 0.0);
}
