/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <string.h>

#include "common/utf8.h"

static size_t encode(uint32_t code, char *out)
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[n] | code);
	out[n] = '\0';
	return n;
}

TEST(every_code_point)
{
	for (uint32_t code = 0; code < 0x120000; code++) {
		bool fine = code < 0xd800 || (code > 0xdfff && code < 0x110000);
		uint32_t found = 1;
		char text[8];
		size_t n = encode(code, text);

		assert_int_equal(utf8_character(text, &found), fine ? n : 0);
		assert_int_equal(found, fine ? code : 1);
		text[n - 1] = n > 1 ? '\0' : text[0];
		assert_int_equal(utf8_character(text, &found), n > 1 ? 0 : 1);
	}
}

/* The second byte that each first byte allows, as Unicode 15 has it in table 3-7. */
static bool allowed(unsigned first, unsigned second)
{
	unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return first >= 0xc2 && first <= 0xf4 && second >= low && second <= high;
}

TEST(every_beginning)
{
	for (unsigned first = 0x80; first < 0x100; first++) {
		for (unsigned second = 0; second < 0x100; second++) {
			const char text[] = {(char)first, (char)second, (char)0xbf, (char)0x80, 0};
			size_t n = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
			uint32_t code;

			assert_int_equal(utf8_character(text, &code), allowed(first, second) ? n : 0);
		}
	}
}

TEST(bad_bytes_later)
{
	static const char *const texts[] = {"\xe2\x82",         "\xe2\x82 ", "\xe2\x82\xc0", "\xf0\x9f\x99",
	                                    "\xf0\x9f\x99\x40", "\x80",      "\xff"};
	uint32_t code;

	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(utf8_character(texts[i], &code), 0);
	assert_int_equal(utf8_character("", &code), 1);
}
