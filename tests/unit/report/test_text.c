/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, times and cut names as people read them; the option table's own check. */
#include "tests/unit/unit.h"

#include "report/cli/settings.h"
#include "report/cli/views.h"
#include "report/output/text.h"

#include <stdlib.h>
#include <string.h>

TEST(numbers)
{
	assert_string_equal(text_count(0).s, "0");
	assert_string_equal(text_count(999).s, "999");
	assert_string_equal(text_count(1000).s, "1,000");
	assert_string_equal(text_count(UINT64_MAX).s, "18,446,744,073,709,551,615");
	assert_string_equal(text_share(1, 3).s, "33.3%");
	assert_string_equal(text_share(0, 0).s, "0.0%");
}

TEST(times)
{
	assert_string_equal(text_time(41000).s, "41 us");
	assert_string_equal(text_time(98100000).s, "98.1 ms");
	assert_string_equal(text_time(10000000000).s, "10.0 s");
	assert_string_equal(text_time(7380000000000).s, "2 h 03 min");
	assert_string_equal(text_utc(1700000000123456789).s, "2023-11-14T22:13:20.123456Z");
	text_utc(UINT64_MAX);
	text_time(UINT64_MAX);
}

static void cut_by(void (*print)(FILE *out, const char *name, int columns, bool utf8), const char *name, int columns,
                   bool utf8, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	print(out, name, columns, utf8);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void cut(const char *name, int columns, bool utf8, const char *expected)
{
	cut_by(text_name, name, columns, utf8, expected);
}

TEST(paths)
{
	cut_by(text_path, "/src/main.c:12", 0, true, "/src/main.c:12");
	cut_by(text_path, "/src/main.c:12", 14, true, "/src/main.c:12");
	cut_by(text_path, "/src/main.c:12", 10, true, "\u2026main.c:12");
	cut_by(text_path, "/src/main.c:12", 10, false, "...in.c:12");
	cut_by(text_path, "/\u00fc\u00fc/a.c", 5, true, "\u2026/a.c");
	cut_by(text_path, "/src", 1, true, "\u2026");
}

TEST(names)
{
	cut("function", 0, true, "function");
	cut("function", 8, true, "function");
	cut("function", 7, true, "functi\u2026");
	cut("function", 7, false, "func...");
	cut("f\u00fcnct\u00efon", 4, true, "f\u00fcn\u2026");
	cut("function", 1, true, "\u2026");
}

TEST(option_table)
{
	assert_null(options_check(settings_table()));
}

static int parse(struct settings *s, char **argv)
{
	char why[256];
	int argc = 0, rc;

	while (argv[argc])
		argc++;
	rc = settings_parse(s, argc, argv, why, sizeof(why));
	settings_free(s);
	return rc;
}

#define ARGV(...) ((char *[]){"uniprof-report", __VA_ARGS__, NULL})

TEST(parsing)
{
	struct settings s;

	assert_int_equal(parse(&s, ARGV("run.upf")), 0);
	assert_ptr_equal(s.view, &view_flat);
	assert_int_equal(s.selection.states, STATES_CPU);
	assert_int_equal(parse(&s, ARGV("--dump", "-")), 0);
	assert_int_equal(s.selection.states, STATES_ALL);
	assert_int_equal(parse(&s, ARGV("--tree", "--state", "blocked,running", "run.upf")), 0);
	assert_int_equal(s.selection.states, 1u << UPF_BLOCKED | 1u << UPF_RUNNING);
	assert_int_equal(parse(&s, ARGV("--tree", "--tree", "x")), 0);
	assert_int_equal(parse(&s, ARGV("--tree", "--dump", "x")), -1);
	assert_int_equal(parse(&s, ARGV("--state", "asleep", "x")), -1);
	assert_int_equal(parse(&s, ARGV("--state", "running,", "x")), -1);
	assert_int_equal(parse(&s, ARGV("--percent-limit", "101", "x")), -1);
	assert_int_equal(parse(&s, ARGV("--percent-limit", "nan", "x")), -1);
	assert_int_equal(parse(&s, ARGV("-q")), -1);
	assert_int_equal(parse(&s, ARGV("a", "-")), 0);
	assert_int_equal(s.ntraces, 2);
	assert_int_equal(parse(&s, ARGV("-", "a", "-")), -1);
}
