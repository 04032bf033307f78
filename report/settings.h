/* SPDX-License-Identifier: BSD-2-Clause */
/* settings.h - uniprof-report's command line. */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "common/options.h"
#include "report/view.h"

struct settings {
	const struct view *view; /* NULL until given, the default at the end */
	const char *argument;    /* of the view, NULL: it takes none */
	char **traces;           /* ntraces of them, argv's; "-": standard input */
	size_t ntraces;
	const char **symbols;    /* nsymbols of them; the array is owned, the names are argv's */
	size_t nsymbols, symbols_cap;
	const char *output;      /* NULL: standard output */
	struct selection selection;
	double percent_limit;    /* negative: the view's own */
	bool quiet, no_repair, help, version;
};

/* 0, or -1 with one line in @why. Moves operands in @argv. settings_free() in either case. */
int settings_parse(struct settings *s, int argc, char **argv, char *why, size_t size);
void settings_free(struct settings *s);
void settings_help(FILE *out, int width);
/* All options in one table, views first; the same one every time. For parsing and for its tests. */
const struct option_def *settings_table(void);

#endif
