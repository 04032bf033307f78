/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/settings.h"
#include "common/parse.h"
#include "common/hash_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 128
#define DEFAULT_QUANTUM_NS 1000000000u

static int apply_view(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	const struct view *view = views[def->id];

	s->argument = value;
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
	if (array_room(&s->images.files, &s->files_cap, s->images.nfiles, sizeof(*s->images.files)) != 0) {
		snprintf(why, size, "out of memory");
		return -1;
	}
	((const char **)s->images.files)[s->images.nfiles++] = value;
	return 0;
}

static int apply_symfs(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def, (void)why, (void)size;
	s->images.debug.symfs = value;
	return 0;
}

static bool is_url(const char *text)
{
	return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0 ||
	       strncmp(text, "file://", 7) == 0;
}

static int apply_debuginfod(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct settings *s = ctx;

	(void)def;
	if (!value && (!urls || !*urls)) {
		snprintf(why, size, "DEBUGINFOD_URLS is not set: give the servers, as in --debuginfod=https://HOST");
		return -1;
	}
	if (value && strcmp(value, "no") != 0 && !is_url(value)) {
		snprintf(why, size, "'%s' is no URL: https://HOST, several with blanks between, or \"no\"", value);
		return -1;
	}
	s->debuginfod = !value ? NULL : strcmp(value, "no") == 0 ? "" : value;
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
	} states[] = {{"running", 1u << UPF_RUNNING},
	              {"runnable", 1u << UPF_RUNNABLE},
	              {"blocked", 1u << UPF_BLOCKED},
	              {"offline", 1u << UPF_OFFLINE},
	              {"all", STATES_ALL}};

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
	s->selection.states = 0;
	do {
		unsigned bits;

		len = strcspn(at, ",");
		bits = state_bits(at, len);
		if (bits == 0) {
			snprintf(why, size, "a list of running, runnable, blocked, offline, or all is needed");
			return -1;
		}
		s->selection.states |= bits;
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

/* --- what counts ------------------------------------------------------------------------------------------------- */

enum { PICK_TIME, PICK_VCPUS, PICK_DOMAINS };

static int apply_pick(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct selection *s = &((struct settings *)ctx)->selection;

	switch (def->id) {
	case PICK_TIME:
		return selection_time(s, value, why, size);
	case PICK_VCPUS:
		return selection_vcpus(s, value, why, size);
	default:
		return selection_domains(s, value, why, size);
	}
}

enum { NAMES_FOCUS, NAMES_IGNORE, NAMES_HIDE, NAMES_SHOW_FROM };

static int apply_names(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct selection *s = &((struct settings *)ctx)->selection;
	struct patterns *const patterns[] = {&s->focus, &s->ignore, &s->hide, &s->show_from};

	return patterns_add(patterns[def->id], value, why, size);
}

static int apply_max_stack(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	uint64_t n;

	(void)def;
	if (parse_u64(value, 1, UINT32_MAX, &n) != 0) {
		snprintf(why, size, "a number of frames, 1 or more, is needed");
		return -1;
	}
	s->selection.max_stack = (uint32_t)n;
	return 0;
}

/* --- one word of a few ------------------------------------------------------------------------------------------- */

enum { WORD_WEIGHT, WORD_PERCENTAGE, WORD_GROUP };

static const struct {
	const char *words[2];
} words[] = {
	[WORD_WEIGHT] = {{"samples", "cpu"}},
	[WORD_PERCENTAGE] = {{"absolute", "relative"}},
	[WORD_GROUP] = {{"domain", "vcpu"}},
};

static int apply_word(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct selection *s = &((struct settings *)ctx)->selection;
	const char *const *known = words[def->id].words;
	bool second = strcmp(value, known[1]) == 0;

	if (!second && strcmp(value, known[0]) != 0) {
		snprintf(why, size, "%s or %s is needed", known[0], known[1]);
		return -1;
	}
	if (def->id == WORD_WEIGHT)
		s->weight = second ? WEIGHT_CPU : WEIGHT_SAMPLES;
	else if (def->id == WORD_PERCENTAGE)
		s->relative = second;
	else
		s->group = second ? GROUP_BY_VCPU : GROUP_BY_DOMAIN;
	return 0;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static int apply_sort(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def;
	return keys_parse(&s->keys, value, why, size);
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
	s->children = (enum children)def->id;
	return 0;
}

enum { FILE_OLD, FILE_OLD_SYMBOLS, FILE_SOURCES };

static int apply_file(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	const char **const files[] = {&s->old, &s->old_symbols, &s->source_path};

	if (*value == '\0' || (def->id == FILE_OLD && strcmp(value, "-") == 0)) {
		snprintf(why, size, "a %s name is needed", def->id == FILE_SOURCES ? "directory's" : "file");
		return -1;
	}
	*files[def->id] = value;
	return 0;
}

static int apply_color(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	static const char *const names[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
	struct settings *s = ctx;

	(void)def;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]) == 0) {
			s->color = (enum color_when)i;
			return 0;
		}
	}
	snprintf(why, size, "auto, always or never is needed");
	return -1;
}

enum {
	SET_QUIET,
	SET_NO_REPAIR,
	SET_HELP,
	SET_VERSION,
	SET_COLLAPSE,
	SET_BOTTOM_UP,
	SET_NO_PAGER,
	SET_NO_DEMANGLE,
	SET_NO_INLINE,
	SET_FORCE
};

static int apply_flag(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)value, (void)why, (void)size;
	s->quiet |= def->id == SET_QUIET;
	s->no_pager |= def->id == SET_NO_PAGER;
	s->images.no_repair |= def->id == SET_NO_REPAIR;
	s->images.no_inline |= def->id == SET_NO_INLINE;
	s->images.force |= def->id == SET_FORCE;
	s->mangled |= def->id == SET_NO_DEMANGLE;
	s->help |= def->id == SET_HELP;
	s->version |= def->id == SET_VERSION;
	s->selection.collapse_recursion |= def->id == SET_COLLAPSE;
	s->selection.bottom_up |= def->id == SET_BOTTOM_UP;
	return 0;
}

static const struct option_def filters[] = {
	{0, "time", "FROM,TO", OPTION_ARG,
         "count samples of this time: 1.5,3 are seconds, 500ms or 10% work as well, either end may "
         "be left out; 10%/2 is the second tenth",
         apply_pick, PICK_TIME},
	{0, "vcpu", "LIST", OPTION_ARG, "count samples of these vCPUs: 0,2-5", apply_pick, PICK_VCPUS},
	{0, "domain", "LIST", OPTION_ARG, "count samples of these domains, by name or number", apply_pick,
         PICK_DOMAINS},
	{0, "state", "LIST", OPTION_ARG,
         "count samples of vCPUs in these run states: running,runnable,blocked,offline or all "
         "(default: running,runnable; --stacks and --dump: all)",
         apply_state, 0},
	{0, "focus", "RE", OPTION_ARG, "count stacks with a function that matches the regular expression RE",
         apply_names, NAMES_FOCUS},
	{0, "ignore", "RE", OPTION_ARG, "leave out stacks with a function that matches", apply_names, NAMES_IGNORE},
	{0, "hide", "RE", OPTION_ARG, "leave out frames that match; what was spent there goes to their callers",
         apply_names, NAMES_HIDE},
	{0, "show-from", "RE", OPTION_ARG,
         "begin stacks at the first function that matches, leave out those without one", apply_names, NAMES_SHOW_FROM},
	{0, "max-stack", "N", OPTION_ARG, "keep the N frames of a stack next to its leaf", apply_max_stack, 0},
	{0, "collapse-recursion", NULL, OPTION_NO_ARG, "show a function that calls itself once", apply_flag,
         SET_COLLAPSE},
	{0, "weight", "WHAT", OPTION_ARG,
         "what counts: samples (default) or cpu, the CPU time used since the sample before", apply_word, WORD_WEIGHT},
	{0, "percentage", "WHAT", OPTION_ARG,
         "shares are relative to what the filters by name leave, or absolute (default)", apply_word, WORD_PERCENTAGE},
	{0, "by", "WHAT", OPTION_ARG, "tell domains, or vCPUs, apart", apply_word, WORD_GROUP},
	{0},
};

static const struct option_def tables[] = {
	{0, "sort", "KEYS", OPTION_ARG,
         "what --flat has lines for: a list of sym (default), dom, vcpu, image, line, state, time", apply_sort, 0},
	{0, "time-quantum", "T", OPTION_ARG, "length of a line's time with --sort time (default: 1s)", apply_quantum,
         0},
	{0, "children", NULL, OPTION_NO_ARG, "sort by Total: functions with what they called", apply_children,
         CHILDREN_FIRST},
	{0, "no-children", NULL, OPTION_NO_ARG, "leave Total out", apply_children, CHILDREN_NO},
	{0, "bottom-up", NULL, OPTION_NO_ARG,
         "turn stacks round for --tree and --folded: from functions up to their callers", apply_flag, SET_BOTTOM_UP},
	{0, "reverse", NULL, OPTION_NO_ARG, NULL, apply_flag, SET_BOTTOM_UP},
	{'G', "inverted", NULL, OPTION_NO_ARG, NULL, apply_flag, SET_BOTTOM_UP},
	{0, "percent-limit", "N", OPTION_ARG, "leave lines below N percent out of tables (default: --tree 0.5)",
         apply_percent, 0},
	{0, "diff", "OLD", OPTION_ARG, "compare with the trace OLD: how shares have changed since", apply_file,
         FILE_OLD},
	{0, "diff-symbols", "FILE", OPTION_ARG, "names for OLD, if its image was another than -s has", apply_file,
         FILE_OLD_SYMBOLS},
	{0, "source-path", "DIR", OPTION_ARG,
         "for --list: source files that are not where they were compiled are below DIR", apply_file, FILE_SOURCES},
	{0},
};

static const struct option_def general[] = {
	{'o', "output", "FILE", OPTION_ARG, "write to FILE instead of standard output", apply_output, 0},
	{0, "color", "WHEN", OPTION_ARG,
         "colour: always, never, or auto (default): on a terminal, unless NO_COLOR is set", apply_color, 0},
	{0, "no-pager", NULL, OPTION_NO_ARG, "no pager ($PAGER, or less) on a terminal", apply_flag, SET_NO_PAGER},
	{'q', "quiet", NULL, OPTION_NO_ARG, "leave out what the result rests on", apply_flag, SET_QUIET},
	{'h', "help", NULL, OPTION_NO_ARG, "this text", apply_flag, SET_HELP},
	{'V', "version", NULL, OPTION_NO_ARG, "the program's version", apply_flag, SET_VERSION},
	{0},
};

static const struct option_def naming[] = {
	{'s', "symbols", "FILE[@ADDRESS]", OPTION_ARG,
         "names from FILE: the guest's ELF binary, the output of nm, or its /proc/kallsyms; a "
         "binary makes stacks true, too; may be given several times; @: it lies at that address, @+: higher by an offset",
         apply_symbols, 0},
	{0, "symfs", "DIR", OPTION_ARG, "look for the guest's files and their debug files below DIR", apply_symfs, 0},
	{0, "debuginfod", "URLS", OPTION_OPTIONAL_ARG,
         "get debug files from debuginfod servers: those of URLS, or of the variable DEBUGINFOD_URLS, "
         "which alone has the same effect; \"no\": ask no server",
         apply_debuginfod, 0},
	{0, "no-demangle", NULL, OPTION_NO_ARG, "show the linker's names of C++, Rust and OCaml", apply_flag,
         SET_NO_DEMANGLE},
	{0, "no-inline", NULL, OPTION_NO_ARG, "read no DWARF: no inlined functions, no source lines", apply_flag,
         SET_NO_INLINE},
	{0, "no-repair", NULL, OPTION_NO_ARG,
         "show stacks as they were recorded: no callers put back, copies not unwound", apply_flag, SET_NO_REPAIR},
	{0, "force", NULL, OPTION_NO_ARG, "use a binary although another build of it was recorded", apply_flag,
         SET_FORCE},
	{0},
};

static size_t append(struct option_def *table, size_t n, const struct option_def *rows)
{
	for (; rows->apply && n < ROWS - 1; rows++)
		table[n++] = *rows;
	return n;
}

const struct option_def *settings_table(void)
{
	static struct option_def table[ROWS];
	size_t n = 0;

	if (table[0].apply)
		return table;
	for (int i = 0; n < ROWS - 1 && views[i]; i++)
		table[n++] = (struct option_def){.name = views[i]->name,
		                                 .arg = views[i]->arg,
		                                 .takes = views[i]->arg ? OPTION_ARG : OPTION_NO_ARG,
		                                 .help = views[i]->help,
		                                 .apply = apply_view,
		                                 .id = i};
	n = append(table, n, naming);
	n = append(table, n, filters);
	n = append(table, n, tables);
	append(table, n, general);
	return table;
}

/* Standard input can be read once only. */
static int check_operands(struct settings *s, int n, char **argv, char *why, size_t size)
{
	int streams = 0;

	if (s->help || s->version)
		return 0;
	for (int i = 0; i < n; i++)
		streams += strcmp(argv[i], "-") == 0;
	s->traces = argv;
	s->ntraces = (size_t)n;
	if (n > 0 && streams <= 1)
		return 0;
	if (n == 0)
		snprintf(why, size, "no trace given: uniprof-report run.upf, or - for standard input; try --help");
	else
		snprintf(why, size, "standard input, -, is given twice");
	return -1;
}

/* Options that tables have and this view has not would be passed over in silence. */
static int check_view(struct settings *s, char *why, size_t size)
{
	const struct {
		bool given;
		unsigned takes;
		const char *name;
	} options[] = {
		{s->old, VIEW_COMPARES, "diff"},
		{s->keys.n, VIEW_KEYS, "sort"},
		{s->children, VIEW_KEYS, s->children == CHILDREN_NO ? "no-children" : "children"},
		{s->selection.bottom_up, VIEW_TURNS, "bottom-up"},
		{s->percent_limit >= 0, VIEW_LIMITS, "percent-limit"},
	};
	char reason[256];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].given && !(s->view->takes & options[i].takes)) {
			snprintf(why, size, "--%s has no meaning for --%s", options[i].name, s->view->name);
			return -1;
		}
	}
	if (s->view->takes & VIEW_WHOLE && (selection_by_record(&s->selection) || filter_needed(&s->selection) ||
	                                    s->selection.states != s->view->states)) {
		snprintf(why, size, "--%s keeps the whole trace: filter when it is read", s->view->name);
		return -1;
	}
	if (!(s->view->takes & VIEW_PATTERN) || patterns_add(&s->pattern, s->argument, reason, sizeof(reason)) == 0)
		return 0;
	snprintf(why, size, "--%s %s: %s", s->view->name, s->argument, reason);
	return -1;
}

int settings_parse(struct settings *s, int argc, char **argv, char *why, size_t size)
{
	int n;

	*s = (struct settings){.percent_limit = -1};
	n = options_parse(settings_table(), argc, argv, s, why, size);
	if (n < 0 || check_operands(s, n, argv, why, size) != 0)
		return -1;
	if (!s->view)
		s->view = views[0];
	if (s->selection.states == 0)
		s->selection.states = s->view->states;
	if (keys_has(&s->keys, KEY_TIME))
		s->selection.quantum_ns = s->quantum_ns ? s->quantum_ns : DEFAULT_QUANTUM_NS;
	return s->help || s->version ? 0 : check_view(s, why, size);
}

void settings_free(struct settings *s)
{
	free((const char **)s->images.files);
	s->images.files = NULL;
	selection_free(&s->selection);
	patterns_free(&s->pattern);
}

void settings_help(FILE *out, int width)
{
	struct option_def rows[ROWS] = {0};

	for (size_t i = 0; i < ROWS - 1 && views[i]; i++)
		rows[i] = settings_table()[i];
	fputs("Usage: uniprof-report [view] [options] [-s SYMBOLS]... run.upf...\n"
	      "       uniprof-record -o - DOMAIN | uniprof-report [view] [options] -\n\n"
	      "Shows where a guest recorded by uniprof-record spent its time.\n\nViews:\n",
	      out);
	options_print(rows, out, width);
	fputs("\nNames:\n", out);
	options_print(naming, out, width);
	fputs("\nWhat counts:\n", out);
	options_print(filters, out, width);
	fputs("\nTables and comparison:\n", out);
	options_print(tables, out, width);
	fputs("\nOptions:\n", out);
	options_print(general, out, width);
	fputs("\nExamples:\n"
	      "  uniprof-report -s guest.elf run.upf                  which functions took the time\n"
	      "  uniprof-report --tree -s guest.elf run.upf           and who called them\n"
	      "  uniprof-report --list recv -s guest.elf run.upf      and in which lines of that one\n"
	      "  uniprof-report --diff old.upf -s guest.elf new.upf   what has changed since\n"
	      "  uniprof-report --flamegraph -s guest.elf -o run.html run.upf\n"
	      "\nExit status: 0 done; 1 reading or writing failed; 2 usage; 3 no usable trace;\n"
	      "4 the trace is damaged or cut, and what is there was shown;\n"
	      "5 nothing in it is what was asked for.\n",
	      out);
}
