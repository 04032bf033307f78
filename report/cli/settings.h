/* SPDX-License-Identifier: BSD-2-Clause */
/* settings.h - uniprof-report's command line. */
#ifndef REPORT_CLI_SETTINGS_H
#define REPORT_CLI_SETTINGS_H

#include "common/option_table.h"
#include "report/cli/config.h"
#include "report/output/terminal.h"
#include "report/view/view.h"

/* The array is owned, the names are argv's. */
struct file_names {
	const char **list;
	size_t n, cap;
};

struct settings {
	const struct view *view; /* NULL until given; at the end that of @output, or the default */
	bool view_by_output;     /* @output has chosen it */
	bool odd_ending;         /* @output has an ending that is no view's: it was to choose one, perhaps */
	const char *argument;    /* of the view, NULL: it takes none */
	struct patterns pattern; /* the same, of views with VIEW_PATTERN */
	char **traces;           /* ntraces of them, argv's; "-": standard input */
	size_t ntraces;
	char *newest; /* NULL, or the only trace: none was given */
	struct config config;
	struct binary_request binaries; /* without files: */
	struct file_names files;        /* of -s */
	struct file_names old;          /* traces to compare with; none: nothing is compared */
	struct file_names old_files;    /* of -s for these; none: the same */
	const char *debuginfod;         /* URLs of servers; "": none; NULL: those of the environment */
	const char *output;             /* NULL: standard output */
	struct selection selection;
	struct view_options options; /* its pattern is the one above */
	uint64_t quantum_ns;         /* 0: not given */
	enum color_when color;
	bool mangled, no_pager, help, version;
	const char *completion; /* for this shell; NULL: not asked for */
};

/*
 * 0, or -1 with one line in @why. Moves operands in @argv. settings_free() in either case; @s stays where it is until
 * then.
 */
int settings_parse(struct settings *s, int argc, char **argv, char *why, size_t size);
void settings_free(struct settings *s);
void settings_help(FILE *out, int width);
/* All options but the views, in the groups of --help (options.c). Each table ends with a row of zeros. */
extern const struct option_def options_naming[];  /* where names come from */
extern const struct option_def options_filters[]; /* what counts */
extern const struct option_def options_tables[];  /* tables and comparison */
extern const struct option_def options_general[]; /* output, help */
/* All options in one table, views first; the same one every time. For parsing and for its tests. */
const struct option_def *settings_table(void);

#endif
