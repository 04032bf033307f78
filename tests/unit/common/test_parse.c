/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>

#include "common/parse.h"

TEST(numbers)
{
	uint64_t n;

	assert_int_equal(parse_u64("0", 0, 9, &n), 0);
	assert_int_equal(parse_u64("18446744073709551615", 0, UINT64_MAX, &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", 0, UINT64_MAX, &n), -ERANGE);
	assert_int_equal(parse_u64("10", 0, 9, &n), -ERANGE);
	static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "one"};
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(parse_u64(bad[i], 0, UINT64_MAX, &n), -EINVAL);
}

TEST(durations)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"10", 10000000000},  {"0.5", 500000000},    {"500ms", 500000000},
		{"2m", 120000000000}, {"1h", 3600000000000}, {"1d", 86400000000000},
		{"1.5s", 1500000000}, {"3us", 3000},         {"2min", 120000000000},
	};
	static const char *const bad[] = {"",   "0",     "-1",  "s",   "1x",  "1.",
	                                  ".5", "1.2.3", "1 s", "nan", "inf", "99999999999d"};
	uint64_t ns;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(parse_duration(good[i].text, &ns), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_not_equal(parse_duration(bad[i], &ns), 0);
}

TEST(sizes)
{
	static const char *const bad[] = {"", "0B", "5", "M", "1.5", "-1k", "1T", "9000000000G", "1 M", "k1"};
	uint64_t bytes;

	assert_int_equal(parse_size("4096B", &bytes), 0);
	assert_true(bytes == 4096);
	assert_int_equal(parse_size("1.5k", &bytes), 0);
	assert_true(bytes == 1536);
	assert_int_equal(parse_size("100M", &bytes), 0);
	assert_true(bytes == 100ull << 20);
	assert_int_equal(parse_size("2GB", &bytes), 0);
	assert_true(bytes == 2ull << 30);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_not_equal(parse_size(bad[i], &bytes), 0);
}

TEST(rates)
{
	static const char *const bad[] = {"0", "0.0001", "-5", "", "Hz", "2MHz", "99 Hz", "1e3", "1000001"};
	uint64_t mhz;

	assert_int_equal(parse_rate("99", &mhz), 0);
	assert_true(mhz == 99000);
	assert_int_equal(parse_rate("max", &mhz), 0);
	assert_true(mhz == 1000000000);
	assert_int_equal(parse_rate("1M", &mhz), 0);
	assert_true(mhz == 1000000000);
	assert_int_equal(parse_rate("0.5", &mhz), 0);
	assert_true(mhz == 500);
	assert_int_equal(parse_rate("1.5kHz", &mhz), 0);
	assert_true(mhz == 1500000);
	assert_int_equal(parse_rate("1000000", &mhz), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_not_equal(parse_rate(bad[i], &mhz), 0);
}

TEST(lists)
{
	static const char *const bad[] = {"", ",", "1,", "3-1", "a", "1-", "-1", "128", "0-128", "1,,2"};
	uint64_t set[2] = {0};

	assert_int_equal(parse_list("0,2-4,127", set, 128), 0);
	assert_true(set[0] == 0x1d && set[1] == 1ull << 63);
	assert_int_equal(parse_list("1", set, 128), 0);
	assert_true(set[0] == 0x1f && set[1] == 1ull << 63);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_not_equal(parse_list(bad[i], set, 128), 0);
}
