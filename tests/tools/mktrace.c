/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mktrace.c - traces for tests and benchmarks, on standard output: mktrace KIND [ARGUMENTS].
 *
 * Everything in them is fixed, so that expected outputs can be compared byte for byte.
 */
#include "tests/tools/traces/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	void (*make)(struct maker *m);
} kinds[] = {
	{"small", make_small},         {"killed", make_killed},       {"idle", make_idle},
	{"empty", make_empty},         {"registers", make_registers}, {"spaces", make_spaces},
	{"windows", make_windows},     {"domains", make_domains},     {"lying", make_lying},
	{"linux", make_linux},         {"badnames", make_badnames},   {"badsamples", make_badsamples},
	{"counted", make_counted},     {"hostile", make_hostile},     {"web", make_web},
	{"web-after", make_web_after}, {"repeats", make_repeats},     {"repeats-apart", make_repeats_apart},
	{"later", make_later},         {"throttled", make_throttled}, {"elsewhere", make_elsewhere},
	{"timed", make_timed},
};

static void usage(void)
{
	fputs("Usage: mktrace KIND, one of:", stderr);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(stderr, " %s", kinds[i].name);
	fputs("\n       mktrace many COUNT UNIQUE DEPTH\n"
	      "       mktrace scattered COUNT DEPTH\n"
	      "       mktrace stacks|copies [IMAGE [IDENTITY]] <LINES\n"
	      "counted, hostile and timed read lines too.\n",
	      stderr);
}

int main(int argc, char **argv)
{
	struct maker m;

	if (argc >= 2 && argc <= 4 && (strcmp(argv[1], "stacks") == 0 || strcmp(argv[1], "copies") == 0)) {
		make_stacks(&m, argv[1][0] == 'c', argc >= 3 ? argv[2] : NULL, argc == 4 ? argv[3] : NULL);
		end(&m);
		return 0;
	}
	if ((argc == 5 && strcmp(argv[1], "many") == 0) || (argc == 4 && strcmp(argv[1], "scattered") == 0)) {
		unsigned long depth = strtoul(argv[argc - 1], NULL, 0);
		uint64_t count = strtoull(argv[2], NULL, 0), unique = strtoull(argv[3], NULL, 0);

		if (depth < 1 || depth > UPF_DEPTH_MAX || unique == 0)
			check(-EINVAL, argv[1]);
		if (argc == 5)
			make_many(&m, count, unique, (uint32_t)depth);
		else
			make_scattered(&m, count, (uint32_t)depth);
		end(&m);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].make(&m);
			end(&m);
			return 0;
		}
	}
	usage();
	return 2;
}
