/* SPDX-License-Identifier: BSD-2-Clause */
/* Rice and range columns: what goes in comes out, and every cut is seen. */
#include "tests/unit/format/trace.h"

#include "format/bytes/rice.h"

static void round_trip(const uint64_t *v, size_t n)
{
	uint8_t *at = malloc(n * 12 + 16);
	size_t len = rice_encode(at, n * 12 + 16, v, n, 0);
	struct rice r;

	assert_true(at && len > 0);
	for (size_t cut = len > 64 ? len - 64 : 0; cut <= len; cut++) {
		uint8_t *exact = malloc(cut + 1);

		assert_non_null(exact);
		memcpy(exact, at, cut);
		rice_open(&r, exact, cut);
		for (size_t i = 0; i < n; i++) {
			uint64_t got = rice_next(&r);

			if (cut == len)
				assert_true(got == v[i]);
		}
		assert_true(rice_done(&r) == (cut == len));
		free(exact);
	}
	free(at);
}

TEST(numbers_come_back)
{
	const uint64_t extremes[] = {0, UINT64_MAX, 1, UINT64_MAX - 1, UINT64_C(1) << 32, (UINT64_C(1) << 63) + 5, 0};
	static uint64_t v[3000];
	uint64_t seed = 9;

	round_trip(extremes, COUNT(extremes));
	for (unsigned shift = 0; shift < 64; shift += 3) {
		size_t n = 1 + pseudo(&seed) % COUNT(v);

		for (size_t i = 0; i < n; i++)
			v[i] = pseudo(&seed) >> shift;
		round_trip(v, n);
		v[n / 2] = UINT64_MAX;
		round_trip(v, n);
	}
}

TEST(ranges_come_back)
{
	const uint64_t wide[] = {5, UINT32_MAX + UINT64_C(5)};
	static uint64_t v[1000];
	uint8_t at[5000];
	uint64_t seed = 3;

	assert_int_equal(range_encode(at, sizeof(at), wide, COUNT(wide)), 0);
	for (uint64_t limit = 1; limit < UINT32_MAX; limit += limit / 2 + 1) {
		struct rice r;
		size_t len;

		for (size_t i = 0; i < COUNT(v); i++)
			v[i] = UINT64_MAX - pseudo(&seed) % limit;
		len = range_encode(at, sizeof(at), v, COUNT(v));
		assert_true(len > 0 && range_encode(at, len - 1, v, COUNT(v)) == 0);
		range_open(&r, at, len);
		for (size_t i = 0; i < COUNT(v); i++)
			assert_true(range_next(&r) == v[i]);
		assert_true(rice_done(&r));
		range_open(&r, at, len - 1);
		for (size_t i = 0; i < COUNT(v); i++)
			range_next(&r);
		assert_true(limit == 1 || !rice_done(&r));
	}
}

TEST(no_room_is_told)
{
	const uint64_t v[] = {1, 2, 3};
	uint8_t at[3 + RICE_MORE];

	assert_int_equal(rice_encode(at, 2, v, 3, 0), 0);
	assert_int_equal(rice_encode(at, 3, v, 3, 0), 3);
}

TEST(other_parameters_are_refused)
{
	const uint8_t bad[] = {RICE_K_MAX + 1, 0, 0}, more[] = {0, 0, 0, 0}, padding[] = {0, 0, 0x80};
	struct rice r;

	rice_open(&r, bad, sizeof(bad));
	assert_true(r.bad);
	rice_open(&r, more, sizeof(more));
	assert_true(rice_next(&r) == 0 && !rice_done(&r));
	rice_open(&r, padding, sizeof(padding));
	assert_true(rice_next(&r) == 0 && !rice_done(&r));
}
