/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_table.h"
#include "record/cli/options.h"

struct seen {
	const char *last, *value;
	int times;
};

static int note(struct option_use *use)
{
	struct seen *s = use->to;

	s->last = use->def->name;
	s->value = use->value;
	s->times++;
	return use->value && strcmp(use->value, "bad") == 0 ? option_refuse(use, "it is bad") : 0;
}

static const struct option_def table[] = {
	{'a', "alpha", NULL, OPTION_NO_ARG, "first", note, 0},
	{'b', "beta", "X", OPTION_ARG, "second", note, 0},
	{'c', "charlie", "X", OPTION_OPTIONAL_ARG, "third", note, 0},
	{'d', "delta", "N", OPTION_OPTIONAL_NUMBER, "a number", note, 0},
	{'o', "operand", "X", OPTION_OPERAND, NULL, NULL, 0},
	{0, "alps", NULL, OPTION_NO_ARG, "fourth", note, 0},
	{0},
};

static struct seen seen;
static char why[256];

static int parse(const char *words)
{
	static char text[256];
	char *argv[16] = {(char *)"prog"};
	int argc = 1, n;

	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	memset(&seen, 0, sizeof(seen));
	n = options_parse(table, argc, argv, &seen, why, sizeof(why));
	if (n > 0)
		seen.value = argv[0];
	return n;
}

TEST(forms)
{
	assert_int_equal(parse("-b5"), 0);
	assert_string_equal(seen.value, "5");
	assert_int_equal(parse("-b 5"), 0);
	assert_string_equal(seen.value, "5");
	assert_int_equal(parse("--beta=5"), 0);
	assert_string_equal(seen.value, "5");
	assert_int_equal(parse("--be 5"), 0);
	assert_string_equal(seen.value, "5");
	assert_int_equal(parse("-aab5"), 0);
	assert_int_equal(seen.times, 3);
	assert_int_equal(parse("-c"), 0);
	assert_null(seen.value);
	assert_int_equal(parse("-c7"), 0);
	assert_string_equal(seen.value, "7");
	assert_int_equal(parse("--charlie=7"), 0);
	assert_string_equal(seen.value, "7");
	assert_int_equal(parse("-c 7"), 1);
	assert_int_equal(parse("-d"), 0);
	assert_null(seen.value);
	assert_int_equal(parse("-d7"), 0);
	assert_string_equal(seen.value, "7");
	assert_int_equal(parse("--delta=7"), 0);
	assert_string_equal(seen.value, "7");
	assert_int_equal(parse("7 -d x"), 2);
	assert_int_equal(parse("-d -- 7"), 1);
	assert_int_equal(parse("x -a y -- -b"), 3);
	assert_string_equal(seen.value, "x");
	assert_int_equal(parse("-"), 1);
	assert_int_equal(parse("-o x -a --operand=y z"), 3);
	assert_string_equal(seen.value, "x");
	assert_int_equal(parse("x -oy"), 2);
	assert_string_equal(seen.value, "x");
}

TEST(errors)
{
	static const struct {
		const char *words, *why;
	} cases[] = {
		{"-z", "unknown option -z; try --help"},
		{"--zulu", "unknown option --zulu; try --help"},
		{"--al", "ambiguous option --al; try --help"},
		{"--al=1", "ambiguous option --al; try --help"},
		{"-az", "unknown option -z; try --help"},
		{"-b", "-b needs an argument; try --help"},
		{"--beta", "--beta needs an argument; try --help"},
		{"--alpha=1", "--alpha takes no argument"},
		{"-b bad", "-b bad: it is bad"},
		{"--beta=bad", "--beta bad: it is bad"},
		{"--=x", "unknown option --; try --help"},
		{"-ad 7", "-d 7 is ambiguous: write -d7, or put 7 before -d"},
		{"--delta 7s x", "--delta 7s is ambiguous: write --delta=7s, or put 7s before --delta"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(parse(cases[i].words), -1);
		assert_string_equal(why, cases[i].why);
	}
}

TEST(tables)
{
	static const struct option_def twice[] = {{'a', "alpha", NULL, OPTION_NO_ARG, "x", note, 0},
	                                          {'a', NULL, NULL, OPTION_NO_ARG, "y", note, 0},
	                                          {0}};

	assert_null(options_check(table));
	assert_null(options_check(record_options));
	assert_non_null(options_check(twice));
}

TEST(help_fits)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	options_print(record_options, f, 80);
	fclose(f);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 80);
	free(text);
}
