/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/say.h"

TEST(names_from_strangers)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain name", "plain name"},
		{"\x1b[31mred", "\\x1b[31mred"},
		{"a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac \xf0\x9f\x99\x82", "\xe2\x82\xac \xf0\x9f\x99\x82"},
		{"\xc2\x9b"
	         "31m",
	         "\\xc2\\x9b31m"},          /* C1: an escape sequence in one character */
		{"\xc0\x9b", "\\xc0\\x9b"}, /* over-long */
		{"\xe2\x80\xae"
	         "cod",
	         "\\xe2\\x80\\xaecod"}, /* right-to-left override */
		{"cut \xe2\x82", "cut \\xe2\\x82"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond Unicode */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		print_safe(f, cases[i].in);
		fclose(f);
		assert_string_equal(text, cases[i].out);
		free(text);
	}
}
