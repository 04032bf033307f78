/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole functions by some of their lines. */
#include "tests/unit/unit.h"

#include "report/view/source.h"

static const char *const text[] = {
	/* 1 */ "#include <x.h>",
	/* 2 */ "",
	/* 3 */ "/* The first. */",
	/* 4 */ "static int",
	/* 5 */ "first(int a)",
	/* 6 */ "{",
	/* 7 */ "\tint b;",
	/* 8 */ "",
	/* 9 */ "\tfor (;;)",
	/* 10 */ "\t\tb++;",
	/* 11 */ "#ifdef X",
	/* 12 */ "\tb--;",
	/* 13 */ "#endif",
	/* 14 */ "out:",
	/* 15 */ "\treturn b;",
	/* 16 */ "}",
	/* 17 */ "int second(void) {",
	/* 18 */ "\treturn 2;",
	/* 19 */ "}",
	/* 20 */ "class C {",
	/* 21 */ "    int third() {",
	/* 22 */ "        return 3;",
	/* 23 */ "    }",
	/* 24 */ "",
	/* 25 */ "    int fourth()",
	/* 26 */ "    {",
	/* 27 */ "        return 4;",
	/* 28 */ "    }",
	/* 29 */ "};",
	/* 30 */ "START:",
	/* 31 */ "",
	/* 32 */ "let fifth x =",
	/* 33 */ "  x + 1",
	/* 34 */ "let sixth = 6",
	/* 35 */ "int n;",
};

static void whole_is(uint32_t from, uint32_t to, uint32_t first, uint32_t last)
{
	const struct source s = {.lines = (char **)text, .n = COUNT(text)};

	source_function(&s, &from, &to);
	assert_int_equal(from, first);
	assert_int_equal(to, last);
}

TEST(of_c)
{
	whole_is(7, 15, 3, 16);
	whole_is(10, 10, 9, 10); /* of deeper lines alone no more can be told than what they stand in */
	whole_is(10, 12, 3, 16);
	whole_is(9, 12, 3, 16);
	whole_is(6, 6, 3, 16);
	whole_is(5, 15, 3, 16);
	whole_is(5, 16, 3, 16);
	whole_is(6, 16, 3, 16);
	whole_is(18, 18, 17, 19);
	whole_is(17, 18, 17, 19);
}

TEST(of_others)
{
	whole_is(22, 22, 20, 23);
	whole_is(27, 27, 25, 28);
	whole_is(26, 28, 25, 28);
	whole_is(33, 33, 32, 33);
}

TEST(ends_of_the_file)
{
	whole_is(1, 1, 1, 1);
	whole_is(2, 2, 2, 2);
	whole_is(35, 35, 35, 35);
	whole_is(1, 35, 1, 35);
}
