/* SPDX-License-Identifier: BSD-2-Clause */
/* test_exidx.c - every kind of byte in ARM's unwind tables, those that no compiler makes included. */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/unwind/tables_exidx.c"

#define NONE INT32_MIN /* it was not popped */

struct expected {
	unsigned base;
	int32_t cfa, ra; /* ra: NONE: in the link register */
	unsigned reg;
	int32_t at; /* where @reg is, or NONE */
};

static int row_of_bytes(const uint8_t *bytes, size_t n, struct cfi_row *row)
{
	uint8_t words[64] = {0};
	struct stream s = {words, 0, n};

	for (size_t i = 0; i < n; i++)
		words[i / 4 * 4 + 3 - i % 4] = bytes[i];
	return run_bytes(&s, row);
}

static void check(const uint8_t *bytes, size_t n, const struct expected *e)
{
	struct cfi_row row;

	assert_int_equal(row_of_bytes(bytes, n, &row), 0);
	assert_int_equal(row.cfa_base, e->base);
	assert_int_equal(row.cfa_offset, e->cfa);
	assert_int_equal(row.ra, e->ra == NONE ? CFI_RA_LINK : CFI_RA_SAVED);
	if (e->ra != NONE)
		assert_int_equal(row.ra_offset, e->ra);
	assert_int_equal(row.reg[e->reg].where, e->at == NONE ? CFI_SAME : CFI_SAVED);
	if (e->at != NONE)
		assert_int_equal(row.reg[e->reg].offset, e->at);
}

#define CHECK(expect, ...) \
	check((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), &(struct expected)expect)
#define EXPECT(...) \
	{ \
		__VA_ARGS__ \
	}

TEST(what_bytes_do)
{
	CHECK(EXPECT(13, 0, NONE, 4, NONE), 0xb0, 0x3f); /* what follows the end does not count */
	CHECK(EXPECT(13, 4 - 8 + 256, NONE, 4, NONE), 0x00, 0x41, 0x3f);
	CHECK(EXPECT(13, 12, -4, 5, -8), 0xa9);                       /* r4, r5, lr */
	CHECK(EXPECT(13, 8, NONE, 5, -4), 0xa1);                      /* r4, r5 */
	CHECK(EXPECT(13, 8 + 4, -8, 11, -12), 0x88, 0x80, 0x00);      /* r11, pc; 4 more */
	CHECK(EXPECT(11, 8 - 8, -4, 11, -8), 0x9b, 0x41, 0x84, 0x80); /* from r11 */
	CHECK(EXPECT(13, 16, NONE, 4, NONE), 0xb1, 0x0f);             /* r0 to r3 */
	CHECK(EXPECT(13, 0x204 + (0x101 << 2), NONE, 4, NONE), 0xb2, 0x81, 0x02);
	CHECK(EXPECT(13, 3 * 8 + 4, NONE, 4, NONE), 0xb3, 0x02);
	CHECK(EXPECT(13, 4, NONE, 4, NONE), 0xb4);
	CHECK(EXPECT(13, 8 * 8 + 4, NONE, 4, NONE), 0xbf);
	CHECK(EXPECT(13, 8, NONE, 4, NONE), 0xc0);
	CHECK(EXPECT(13, 2 * 8 + 3 * 4, NONE, 4, NONE), 0xc6, 0x01, 0xc7, 0x07);
	CHECK(EXPECT(13, 16 * 8 + 8, NONE, 4, NONE), 0xc8, 0x0f, 0xc9, 0x80);
	CHECK(EXPECT(13, 2 * 8, NONE, 4, NONE), 0xd1);
}

/* Spare ones, those that refuse, what a row cannot say, and frames too large. */
TEST(what_is_refused)
{
	static const uint8_t refused[][16] = {
		{0x80, 0x00},
		{0x82, 0x00},
		{0x9d},
		{0x9f},
		{0xb1, 0x00},
		{0xb1, 0x10},
		{0xb5},
		{0xca},
		{0xd8},
		{0xff},
		{0xa0, 0x9b},
		{0xb2, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0xb2, 0xff, 0xff, 0xff, 0x7f},
	};
	struct cfi_row row;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_int_equal(row_of_bytes(refused[i], sizeof(refused[i]), &row), -ENODATA);
}

/* Whatever they are, they end, within their words, and rows hold registers that there are. */
TEST(any_bytes)
{
	uint32_t seed = 1;

	for (unsigned i = 0; i < 200000; i++) {
		uint8_t bytes[16];
		struct cfi_row row;

		for (size_t k = 0; k < sizeof(bytes); k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[k] = (uint8_t)(seed >> 24);
		}
		if (row_of_bytes(bytes, 1 + i % sizeof(bytes), &row) == 0) {
			assert_in_range(row.cfa_base, 0, 14);
			assert_true(row.cfa_offset <= FRAME_MAX && row.cfa_offset >= -FRAME_MAX);
		}
	}
}
