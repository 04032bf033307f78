/* SPDX-License-Identifier: BSD-2-Clause */
/* options_tables.c - the options of tables and of comparison. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int apply_sort(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	return keys_parse(&s->options.keys, value, why, size);
}

static int apply_quantum(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	if (parse_duration(value, &s->quantum_ns) == 0)
		return 0;
	snprintf(why, size, "a length of time is needed, as 100ms or 1s");
	return -1;
}

static int apply_children(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)value, (void)why, (void)size;
	s->options.children = (enum children)def->id;
	return 0;
}

static int apply_sources(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	s->options.source_path = value;
	if (*value)
		return 0;
	snprintf(why, size, "a directory's name is needed");
	return -1;
}

static int apply_old(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	if (*value && strcmp(value, "-") != 0)
		return settings_add_file(&s->old, value, why, size);
	snprintf(why, size, "a file name is needed");
	return -1;
}

static int apply_old_symbols(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	return settings_add_file(&s->old_files, value, why, size);
}

static int apply_bottom_up(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def, (void)value, (void)why, (void)size;
	s->selection.bottom_up = true;
	return 0;
}

static int apply_percent(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	char *end;

	(void)def;
	s->options.percent_limit = strtod(value, &end);
	if (end == value || *end || !isfinite(s->options.percent_limit) || s->options.percent_limit < 0 ||
	    s->options.percent_limit > 100) {
		snprintf(why, size, "a number from 0 to 100 is needed");
		return -1;
	}
	return 0;
}

const struct option_def options_tables[] = {
	{0, "sort", "KEYS", OPTION_ARG,
         "keys of the lines of --flat: a list of sym (default), address, dom, vcpu, space, image, "
         "line, state, time",
         apply_sort, 0},
	{0, "time-quantum", "T", OPTION_ARG, "length of an interval of --sort time (default: 1s)", apply_quantum, 0},
	{0, "children", NULL, OPTION_NO_ARG, "sort by Total: the time in a function and in what it called",
         apply_children, CHILDREN_FIRST},
	{0, "no-children", NULL, OPTION_NO_ARG, "omit the column Total", apply_children, CHILDREN_NO},
	{0, "bottom-up", NULL, OPTION_NO_ARG,
         "start stacks of --tree and --folded at their leaves: from functions up to their callers", apply_bottom_up,
         0},
	{0, "reverse", NULL, OPTION_NO_ARG, NULL, apply_bottom_up, 0},
	{'G', "inverted", NULL, OPTION_NO_ARG, NULL, apply_bottom_up, 0},
	{0, "percent-limit", "N", OPTION_ARG, "omit lines of tables below N percent (default: --tree 0.5)",
         apply_percent, 0},
	{0, "diff", "OLD", OPTION_ARG, "compare with the older trace OLD; may be given several times", apply_old, 0},
	{0, "diff-symbols", "[DOM=]FILE", OPTION_ARG,
         "symbols for OLD, as by -s, if it ran another binary than -s names", apply_old_symbols, 0},
	{0, "source-path", "DIR", OPTION_ARG,
         "for --annotate: look below DIR for source files that are not where they were compiled", apply_sources, 0},
	{0},
};
