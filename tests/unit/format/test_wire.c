/* SPDX-License-Identifier: BSD-2-Clause */
/* Varints, zigzag and the cursor: limits, and nothing read past an end. */
#include "tests/unit/format/trace.h"

TEST(varints_come_back)
{
	for (unsigned bit = 0; bit <= 64; bit++) {
		for (int off = -1; off <= 1; off++) {
			uint64_t v = (bit < 64 ? UINT64_C(1) << bit : 0) + (uint64_t)off;
			uint8_t at[VARINT_MAX];
			size_t n = put_varint(at, v);
			struct cursor c = cursor_of(at, n);

			assert_in_range(n, 1, VARINT_MAX);
			assert_true(get_varint(&c) == v && !c.bad && cursor_left(&c) == 0);
			for (size_t cut = 0; cut < n; cut++) {
				c = cursor_of(at, cut);
				assert_true(get_varint(&c) == 0 && c.bad);
			}
		}
	}
}

TEST(longer_than_64_bits_is_refused)
{
	const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
	const uint8_t sixtyfive[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
	struct cursor c = cursor_of(eleven, sizeof(eleven));

	assert_true(get_varint(&c) == 0 && c.bad);
	c = cursor_of(sixtyfive, sizeof(sixtyfive));
	assert_true(get_varint(&c) == 0 && c.bad);
}

TEST(zigzag_is_small_for_small)
{
	const int64_t v[] = {0, -1, 1, -2, 2, 1000, -1000, INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < COUNT(v); i++)
		assert_true(unzigzag(zigzag(v[i])) == v[i]);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(zigzag(v[i]), i);
	assert_true(zigzag(INT64_MIN) == UINT64_MAX);
}

TEST(bytes_are_little_endian)
{
	uint8_t at[8];

	put_u64(at, UINT64_C(0x0807060504030201));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(at[i], i + 1);
	assert_int_equal(peek_u16(at), 0x0201);
	assert_int_equal(peek_u32(at), 0x04030201);
	assert_true(peek_u64(at) == UINT64_C(0x0807060504030201));
}

TEST(a_bad_cursor_stays_bad)
{
	const uint8_t at[3] = {1, 2, 3};
	struct cursor c = cursor_of(at, 3);

	assert_int_equal(get_u32(&c), 0);
	assert_true(c.bad);
	assert_int_equal(get_u8(&c), 0);
	assert_null(get_bytes(&c, 0));
	c = cursor_of(at, 3);
	assert_null(get_bytes(&c, SIZE_MAX));
}
