/* SPDX-License-Identifier: BSD-2-Clause */
/* options_tables.c - the options of tables and of comparison. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/parse.h"

#include <stdlib.h>
#include <string.h>

static int set_keys(struct option_use *use)
{
	return keys_parse(option_place(use), use->value, use->reason, sizeof(use->reason));
}

static int set_quantum(struct option_use *use)
{
	if (parse_duration(use->value, option_place(use)) == 0)
		return 0;
	return option_refuse(use, "a length of time is needed, as 100ms or 1s");
}

static int set_children(struct option_use *use)
{
	((struct settings *)use->to)->options.children = (enum children)use->def->id;
	return 0;
}

static int set_sources(struct option_use *use)
{
	return *use->value ? option_set_name(use) : option_refuse(use, "a directory's name is needed");
}

static int add_old(struct option_use *use)
{
	if (*use->value && strcmp(use->value, "-") != 0)
		return option_add_name(use);
	return option_refuse(use, "a file name is needed");
}

static int set_percent(struct option_use *use)
{
	double *percent = option_place(use);
	char *end;

	*percent = strtod(use->value, &end);
	if (end != use->value && !*end && *percent >= 0 && *percent <= 100)
		return 0;
	return option_refuse(use, "a number from 0 to 100 is needed");
}

const struct option_def options_tables[] = {
	{0, "sort", "KEYS", OPTION_ARG,
         "keys of the lines of --flat: a list of sym (default), address, dom, vcpu, space, image, "
         "line, state, time",
         set_keys, AT(options.keys)},
	{0, "time-quantum", "T", OPTION_ARG, "length of an interval of --sort time (default: 1s)", set_quantum,
         AT(quantum_ns)},
	{0, "children", NULL, OPTION_NO_ARG, "sort by Total: the time in a function and in what it called",
         set_children, CHILDREN_FIRST},
	{0, "no-children", NULL, OPTION_NO_ARG, "omit the column Total", set_children, CHILDREN_NO},
	{0, "bottom-up", NULL, OPTION_NO_ARG,
         "start stacks of --tree and --folded at their leaves: from functions up to their callers", option_set_true,
         AT(selection.bottom_up)},
	{0, "reverse", NULL, OPTION_NO_ARG, NULL, option_set_true, AT(selection.bottom_up)},
	{'G', "inverted", NULL, OPTION_NO_ARG, NULL, option_set_true, AT(selection.bottom_up)},
	{0, "percent-limit", "N", OPTION_ARG, "omit lines of tables below N percent (default: --tree 0.5)",
         set_percent, AT(options.percent_limit)},
	{0, "diff", "OLD", OPTION_ARG, "compare with the older trace OLD; may be given several times", add_old,
         AT(old)},
	{0, "diff-symbols", "[DOM=]FILE", OPTION_ARG,
         "symbols for OLD, as by -s, if it ran another binary than -s names", option_add_name, AT(old_files)},
	{0, "source-path", "DIR", OPTION_ARG,
         "for --annotate: look below DIR for source files that are not where they were compiled", set_sources,
         AT(options.source_path)},
	{0},
};
