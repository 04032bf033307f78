/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/settings.h"
#include "report/intern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 64

static int apply_view(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	const struct view *view = views[def->id];

	(void)value;
	if (s->view && s->view != view) {
		snprintf(why, size, "one view at a time, and --%s was given too", s->view->name);
		return -1;
	}
	s->view = view;
	return 0;
}

static int apply_symbols(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	if (array_room(&s->symbols, &s->symbols_cap, s->nsymbols, sizeof(*s->symbols)) != 0) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	s->symbols[s->nsymbols++] = value;
	return 0;
}

static int apply_output(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	if (*value == '\0') {
		snprintf(why, size, "a file name is needed");
		return -1;
	}
	s->output = value;
	return 0;
}

static unsigned state_bits(const char *name, size_t len)
{
	static const struct {
		const char *name;
		unsigned bits;
	} states[] = {{"running", 1u << UPF_RUNNING}, {"runnable", 1u << UPF_RUNNABLE}, {"blocked", 1u << UPF_BLOCKED},
	              {"offline", 1u << UPF_OFFLINE}, {"all", STATES_ALL}};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strlen(states[i].name) == len && memcmp(states[i].name, name, len) == 0)
			return states[i].bits;
	return 0;
}

static int apply_state(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	const char *at = value;
	size_t len;

	(void)def;
	s->states = 0;
	do {
		unsigned bits;

		len = strcspn(at, ",");
		bits = state_bits(at, len);
		if (bits == 0) {
			snprintf(why, size, "a list of running, runnable, blocked, offline, or all is needed");
			return -1;
		}
		s->states |= bits;
		at += len + 1;
	} while (at[-1] == ',');
	return 0;
}

static int apply_percent(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	char *end;

	(void)def;
	s->percent_limit = strtod(value, &end);
	if (end == value || *end || !isfinite(s->percent_limit) || s->percent_limit < 0 || s->percent_limit > 100) {
		snprintf(why, size, "a number from 0 to 100 is needed");
		return -1;
	}
	return 0;
}

enum { SET_QUIET, SET_NO_REPAIR, SET_HELP, SET_VERSION };

static int apply_flag(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)value, (void)why, (void)size;
	s->quiet |= def->id == SET_QUIET;
	s->no_repair |= def->id == SET_NO_REPAIR;
	s->help |= def->id == SET_HELP;
	s->version |= def->id == SET_VERSION;
	return 0;
}

static const struct option_def general[] = {
	{'s', "symbols", "FILE", OPTION_ARG, "names from FILE: the guest's ELF binary, the output of nm, or its /proc/kallsyms; a "
	 "binary makes stacks true, too; may be given several times", apply_symbols, 0},
	{'o', "output", "FILE", OPTION_ARG, "write to FILE instead of standard output", apply_output, 0},
	{0, "state", "LIST", OPTION_ARG, "count samples of vCPUs in these run states: running,runnable,blocked,offline or all "
	 "(default: running,runnable; --stacks and --dump: all)", apply_state, 0},
	{0, "percent-limit", "N", OPTION_ARG, "leave lines below N percent out of tables (default: --tree 0.5)", apply_percent, 0},
	{0, "no-repair", NULL, OPTION_NO_ARG, "show stacks as they were recorded: no callers put back, copies not unwound", apply_flag,
	 SET_NO_REPAIR},
	{'q', "quiet", NULL, OPTION_NO_ARG, "leave out what the result rests on", apply_flag, SET_QUIET},
	{'h', "help", NULL, OPTION_NO_ARG, "this text", apply_flag, SET_HELP},
	{'V', "version", NULL, OPTION_NO_ARG, "the program's version", apply_flag, SET_VERSION},
	{0},
};

const struct option_def *settings_table(void)
{
	static struct option_def table[ROWS];
	size_t n = 0;

	if (table[0].apply)
		return table;
	for (int i = 0; n < ROWS - 1 && views[i]; i++)
		table[n++] = (struct option_def){.name = views[i]->name, .takes = OPTION_NO_ARG, .help = views[i]->help,
		                                 .apply = apply_view, .id = i};
	for (size_t i = 0; general[i].apply && n < ROWS - 1; i++)
		table[n++] = general[i];
	return table;
}

static int take_operands(struct settings *s, int n, char **argv, char *why, size_t size)
{
	if (s->help || s->version)
		return 0;
	if (n == 1) {
		s->trace = argv[0];
		return 0;
	}
	if (n == 0)
		snprintf(why, size, "no trace given: uniprof-report run.upf, or - for standard input; try --help");
	else
		snprintf(why, size, "one trace at a time: %s and %s are two; try --help", argv[0], argv[1]);
	return -1;
}

int settings_parse(struct settings *s, int argc, char **argv, char *why, size_t size)
{
	int n;

	*s = (struct settings){.percent_limit = -1};
	n = options_parse(settings_table(), argc, argv, s, why, size);
	if (n < 0 || take_operands(s, n, argv, why, size) != 0)
		return -1;
	if (!s->view)
		s->view = views[0];
	if (s->states == 0)
		s->states = s->view->states;
	return 0;
}

void settings_free(struct settings *s)
{
	free(s->symbols);
	s->symbols = NULL;
}

void settings_help(FILE *out, int width)
{
	struct option_def rows[ROWS] = {0};

	for (size_t i = 0; i < ROWS - 1 && views[i]; i++)
		rows[i] = settings_table()[i];
	fputs("Usage: uniprof-report [view] [options] [-s SYMBOLS]... run.upf\n"
	      "       uniprof-record -o - DOMAIN | uniprof-report [view] [options] -\n\n"
	      "Shows where a guest recorded by uniprof-record spent its time.\n\nViews:\n", out);
	options_print(rows, out, width);
	fputs("\nOptions:\n", out);
	options_print(general, out, width);
	fputs("\nExamples:\n"
	      "  uniprof-report -s guest.elf run.upf                 which functions took the time\n"
	      "  uniprof-report --tree -s guest.elf run.upf          and who called them\n"
	      "  uniprof-report --folded -s guest.elf run.upf | flamegraph.pl > run.svg\n"
	      "\nExit codes: 0 done; 1 reading or writing failed; 2 usage; 3 no usable trace;\n"
	      "4 the trace is damaged or cut, and what is there was shown.\n", out);
}
