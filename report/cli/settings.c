/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/settings.h"
#include "common/say.h"
#include "report/cli/inputs.h"
#include "report/cli/views.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 128
#define DEFAULT_QUANTUM_NS 1000000000u

/* --- the table --------------------------------------------------------------------------------------------------- */

/* In the order of --help. */
static const struct {
	const char *title;
	const struct option_def *rows;
} groups[] = {{"Names", options_naming},
              {"What counts", options_filters},
              {"Tables and comparison", options_tables},
              {"Options", options_general}};

static int set_view(struct option_use *use)
{
	struct settings *s = use->to;
	const struct view *view = views[use->def->id];

	s->argument = use->value;
	if (s->view && s->view != view)
		return option_refuse(use, "one view at a time, and --%s was given too", s->view->name);
	s->view = view;
	return 0;
}

/* If ROWS is too small, every run of the program aborts: no option is lost without notice. */
static void append_options(struct option_def *table, size_t *n, const struct option_def *rows)
{
	for (; rows->letter || rows->name; rows++) {
		if (*n == ROWS - 1)
			abort();
		table[(*n)++] = *rows;
	}
}

/* The views, by their names, which --help shows, or by their other ones. */
static void append_views(struct option_def *table, size_t *n, bool aliases)
{
	for (size_t i = 0; views[i]; i++) {
		const struct option_def rows[] = {{.name = aliases ? views[i]->alias : views[i]->name,
		                                   .arg = views[i]->arg,
		                                   .takes = views[i]->arg ? OPTION_ARG : OPTION_NO_ARG,
		                                   .help = aliases ? NULL : views[i]->help,
		                                   .apply = set_view,
		                                   .id = i},
		                                  {0}};

		if (rows[0].name)
			append_options(table, n, rows);
	}
}

const struct option_def *settings_table(void)
{
	static struct option_def table[ROWS];
	size_t n = 0;

	if (table[0].apply)
		return table;
	append_views(table, &n, false);
	append_views(table, &n, true);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		append_options(table, &n, groups[i].rows);
	return table;
}

/* Standard input can be read once only. */
static int check_operands(struct settings *s, int n, char **argv, char *why, size_t size)
{
	int streams = 0;

	if (s->help || s->version || s->completion)
		return 0;
	for (int i = 0; i < n; i++)
		streams += strcmp(argv[i], "-") == 0;
	s->traces = argv;
	s->ntraces = (size_t)n;
	if (streams > 1)
		return failure(why, size, -1, "standard input, -, is given twice");
	if (n > 0)
		return 0;
	s->newest = inputs_newest();
	if (!s->newest)
		return failure(
			why, size, -1,
			"no trace given, and none (*.upf) here: uniprof-report run.upf, or - for standard input; try "
			"--help");
	s->traces = &s->newest;
	s->ntraces = 1;
	return 0;
}

static void choose_view(struct settings *s)
{
	if (s->view)
		return;
	s->view = view_for_output(s->output);
	s->odd_ending = !s->view;
	s->view = s->view ? s->view : views[0];
	s->view_by_output = s->view != views[0];
}

/* Options that mean nothing for these --sort keys. */
static int check_keys(const struct settings *s, char *why, size_t size)
{
	const struct keys *keys = &s->options.keys;

	if (s->quantum_ns && !keys_has(keys, KEY_TIME))
		snprintf(why, size, "--time-quantum cannot be used without --sort time");
	else if (s->options.children == CHILDREN_FIRST && keys->n && !keys_of_frames(keys))
		snprintf(why, size, "--children cannot be used without the key sym, address or line");
	else
		return 0;
	return -1;
}

/* Refuses options of tables that this view does not take: it would ignore them without a word. */
static int check_view(struct settings *s, char *why, size_t size)
{
	const struct {
		bool given;
		unsigned takes;
		const char *name;
	} options[] = {
		{s->old.n, VIEW_COMPARES, "diff"},
		{s->options.keys.n, VIEW_KEYS, "sort"},
		{s->options.children, VIEW_KEYS, s->options.children == CHILDREN_NO ? "no-children" : "children"},
		{s->selection.bottom_up, VIEW_TURNS, "bottom-up"},
		{s->options.percent_limit >= 0, VIEW_LIMITS, "percent-limit"},
		{s->options.rows, VIEW_KEYS, "rows"},
		{s->quantum_ns, VIEW_KEYS, "time-quantum"},
		{s->selection.group, VIEW_GROUPS, "by"},
	};
	const char *chosen = s->view_by_output ? " (chosen by the name of -o FILE)" : "";
	char reason[256];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].given && !(s->view->takes & options[i].takes)) {
			snprintf(why, size, "--%s cannot be used with --%s%s", options[i].name, s->view->name, chosen);
			return -1;
		}
	}
	if (check_keys(s, why, size) != 0)
		return -1;
	if (s->view->takes & VIEW_WHOLE && (selection_by_record(&s->selection) || filter_needed(&s->selection) ||
	                                    s->selection.states != s->view->states)) {
		snprintf(why, size,
		         "--%s stores the whole trace and takes no filters: use them when you read the archive%s",
		         s->view->name, chosen);
		return -1;
	}
	if (!(s->view->takes & VIEW_PATTERN) || patterns_add(&s->pattern, s->argument, reason, sizeof(reason)) == 0)
		return 0;
	snprintf(why, size, "--%s %s: %s", s->view->name, s->argument, reason);
	return -1;
}

/* The command line and the environment come first. */
static int take_config(struct settings *s, char *why, size_t size)
{
	struct binary_request *b = &s->binaries;

	if (config_read(&s->config, why, size) != 0)
		return -1;
	b->known = s->config.known;
	b->nknown = s->config.nknown;
	b->debug.folders = s->config.folders;
	b->debug.nfolders = s->config.nfolders;
	if (!b->debug.symfs)
		b->debug.symfs = s->config.symfs;
	if (!s->debuginfod && !getenv("DEBUGINFOD_URLS"))
		s->debuginfod = s->config.debuginfod;
	return 0;
}

int settings_parse(struct settings *s, int argc, char **argv, char *why, size_t size)
{
	int n;

	*s = (struct settings){.options = {.percent_limit = -1, .pattern = &s->pattern}};
	n = options_parse(settings_table(), argc, argv, s, why, size);
	if (n < 0 || check_operands(s, n, argv, why, size) != 0)
		return -1;
	choose_view(s);
	if (s->selection.states == 0)
		s->selection.states = s->view->states;
	if (keys_has(&s->options.keys, KEY_TIME))
		s->selection.quantum_ns = s->quantum_ns ? s->quantum_ns : DEFAULT_QUANTUM_NS;
	s->selection.spaces = s->selection.group == GROUP_BY_SPACE || keys_has(&s->options.keys, KEY_SPACE);
	s->selection.noise = s->old.n || s->view->takes & VIEW_NOISE;
	if (s->help || s->version || s->completion)
		return 0;
	return take_config(s, why, size) == 0 ? check_view(s, why, size) : -1;
}

void settings_free(struct settings *s)
{
	free(s->newest);
	free(s->files.list);
	free(s->old.list);
	free(s->old_files.list);
	s->files = s->old = s->old_files = (struct file_names){0};
	config_free(&s->config);
	selection_free(&s->selection);
	patterns_free(&s->pattern);
}

void settings_help(FILE *out, int width)
{
	struct option_def rows[ROWS] = {0};
	size_t n = 0;

	append_views(rows, &n, false);
	fputs("Usage: uniprof-report [view] [options] [-s SYMBOLS]... [run.upf...]\n"
	      "       uniprof-record -o - DOMAIN | uniprof-report [view] [options] -\n\n"
	      "Shows where a guest recorded by uniprof-record spent its time.\n\nViews:\n",
	      out);
	options_print(rows, out, width);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(out, "\n%s:\n", groups[i].title);
		options_print(groups[i].rows, out, width);
	}
	fputs("\nExamples:\n"
	      "  uniprof-report -s guest.elf run.upf             which functions took the time\n"
	      "  uniprof-report --tree -s guest.elf run.upf      who called them\n"
	      "  uniprof-report --annotate recv -s guest.elf run.upf   the lines of one of them\n"
	      "  uniprof-report --diff old.upf -s guest.elf new.upf    what has changed since\n"
	      "  uniprof-report -s guest.elf -o run.html run.upf       a flame graph\n"
	      "\nExit status: 0 done; 1 reading or writing failed; 2 usage; 3 no usable trace;\n"
	      "4 the trace is damaged or cut, and what is there was shown;\n"
	      "5 nothing in it is what was asked for.\n",
	      out);
}
