/* SPDX-License-Identifier: BSD-2-Clause */
/* options.c - all options but the views: what each does, and its row of --help. */
#include "report/cli/settings.h"
#include "common/array.h"
#include "common/parse.h"

#include <stdlib.h>
#include <string.h>

/* The offset of a member of struct settings, for a row's id. */
#define AT(member) offsetof(struct settings, member)

/* --- where names come from, and the output ----------------------------------------------------------------------- */

/* Adds the value to the struct file_names at the offset. */
static int add_name(struct option_use *use)
{
	struct file_names *names = option_place(use);

	return array_add(names->list, names->cap, names->n, use->value) == 0 ? 0 : option_refuse(use, "out of memory");
}

static int set_symfs(struct option_use *use)
{
	*(const char **)option_place(use) = use->value;
	return 0;
}

static bool is_url(const char *text)
{
	return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0 ||
	       strncmp(text, "file://", 7) == 0;
}

static int set_debuginfod(struct option_use *use)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *value = use->value;

	if (!value && (!urls || !*urls))
		return option_refuse(use,
		                     "DEBUGINFOD_URLS is not set: give the servers, as in --debuginfod=https://HOST");
	if (value && strcmp(value, "no") != 0 && !is_url(value))
		return option_refuse(use, "'%.150s' is no URL: https://HOST, several with blanks between, or \"no\"",
		                     value);
	*(const char **)option_place(use) = !value ? NULL : strcmp(value, "no") == 0 ? "" : value;
	return 0;
}

/* --- what counts ------------------------------------------------------------------------------------------------- */

static int set_time(struct option_use *use)
{
	return selection_time(option_place(use), use->value, use->reason, sizeof(use->reason));
}

static int set_vcpus(struct option_use *use)
{
	return selection_vcpus(option_place(use), use->value, use->reason, sizeof(use->reason));
}

static int set_domains(struct option_use *use)
{
	return selection_domains(option_place(use), use->value, use->reason, sizeof(use->reason));
}

static int add_pattern(struct option_use *use)
{
	return patterns_add(option_place(use), use->value, use->reason, sizeof(use->reason));
}

static int set_number(struct option_use *use)
{
	uint64_t n;

	if (parse_u64(use->value, 1, UINT32_MAX, &n) != 0)
		return option_refuse(use, "a number, 1 or more, is needed");
	*(uint32_t *)option_place(use) = (uint32_t)n;
	return 0;
}

static unsigned state_bits(const char *name, size_t len)
{
	static const struct {
		const char *name;
		unsigned bits;
	} states[] = {{"running", 1u << UPF_RUNNING}, {"runnable", 1u << UPF_RUNNABLE}, {"blocked", 1u << UPF_BLOCKED},
	              {"offline", 1u << UPF_OFFLINE}, {"vmm", 1u << UPF_VMM},           {"all", STATES_ALL}};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strlen(states[i].name) == len && memcmp(states[i].name, name, len) == 0)
			return states[i].bits;
	return 0;
}

static int set_states(struct option_use *use)
{
	struct selection *s = option_place(use);
	const char *at = use->value;
	size_t len;

	s->some_states = true;
	do {
		unsigned bits;

		len = strcspn(at, ",");
		bits = state_bits(at, len);
		if (bits == 0)
			return option_refuse(use,
			                     "a list of running, runnable, vmm, blocked, offline or all is needed");
		s->states |= bits;
		at += len + 1;
	} while (at[-1] == ',');
	return 0;
}

/* --- one word of a few ------------------------------------------------------------------------------------------- */

enum { WORD_WEIGHT, WORD_PERCENTAGE, WORD_GROUP, WORD_COLOR }; /* ids of rows */
#define WORDS 3

/* Of each option, the values' words; those of WORD_GROUP are of enum group from GROUP_BY_DOMAIN on. */
static const char *const words[][WORDS] = {
	[WORD_WEIGHT] = {"time", "samples", "cpu"},
	[WORD_PERCENTAGE] = {"absolute", "relative"},
	[WORD_GROUP] = {"domain", "vcpu", "space"},
	[WORD_COLOR] = {"auto", "always", "never"},
};

static int set_word(struct option_use *use)
{
	struct settings *s = use->to;
	const char *const *known = words[use->def->id];
	unsigned n = 0;

	while (n < WORDS && known[n] && strcmp(use->value, known[n]) != 0)
		n++;
	if (n == WORDS || !known[n])
		return option_refuse(use, "%s%s%s or %s is needed", known[0], known[2] ? ", " : "",
		                     known[2] ? known[1] : "", known[known[2] ? 2 : 1]);
	if (use->def->id == WORD_WEIGHT)
		s->selection.weight = WEIGHT_TIME + n;
	else if (use->def->id == WORD_PERCENTAGE)
		s->selection.relative = n;
	else if (use->def->id == WORD_GROUP)
		s->selection.group = GROUP_BY_DOMAIN + n;
	else
		s->color = COLOR_AUTO + n;
	return 0;
}

/* --- tables and comparison --------------------------------------------------------------------------------------- */

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
		return add_name(use);
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

/* --- the rows ---------------------------------------------------------------------------------------------------- */

const struct option_def options_naming[] = {
	{'i', "input", "FILE", OPTION_OPERAND, NULL, NULL, 0},
	{'s', "symbols", "[DOM=]FILE[@ADDRESS]", OPTION_ARG,
         "symbols from FILE: the guest's ELF binary, its vmlinuz, the output of nm, or its /proc/kallsyms; "
         "a binary also has unwind tables; may be given several times; DOM=: of the guest with this name or number; "
         "without it, of the guests that ran this build, or else of those that no other FILE is for; @ADDRESS: it is "
         "loaded there; @+OFFSET: higher than linked by OFFSET",
         add_name, AT(files)},
	{0, "symfs", "DIR", OPTION_ARG, "look for the guest's files and their debug files below DIR", set_symfs,
         AT(binaries.debug.symfs)},
	{0, "debuginfod", "URLS", OPTION_OPTIONAL_ARG,
         "get debug files from debuginfod servers: those of URLS, or of the variable DEBUGINFOD_URLS, "
         "which alone has the same effect; \"no\": ask no server",
         set_debuginfod, AT(debuginfod)},
	{0, "no-demangle", NULL, OPTION_NO_ARG, "do not demangle names of C++, Rust and OCaml", option_set_true,
         AT(mangled)},
	{0, "no-inline", NULL, OPTION_NO_ARG, "do not read DWARF: no inlined functions, no source lines",
         option_set_true, AT(binaries.no_inline)},
	{0, "no-repair", NULL, OPTION_NO_ARG, "show stacks as recorded: add no missing callers, unwind no copies",
         option_set_true, AT(binaries.no_repair)},
	{0, "force", NULL, OPTION_NO_ARG, "use a binary even if another build of it was recorded", option_set_true,
         AT(binaries.force)},
	{0},
};

const struct option_def options_filters[] = {
	{0, "time", "FROM,TO", OPTION_ARG,
         "count only samples of this time range: 1.5,3 are seconds; 500ms or 10% also work; either "
         "end may be omitted; 10%/2 is the second tenth",
         set_time, AT(selection)},
	{0, "vcpu", "LIST", OPTION_ARG, "count only samples of these vCPUs: 0,2-5", set_vcpus, AT(selection)},
	{0, "domain", "LIST", OPTION_ARG, "count only samples of these domains, by name or number", set_domains,
         AT(selection)},
	{0, "state", "LIST", OPTION_ARG,
         "count only samples of vCPUs in these run states: running,runnable,vmm,blocked,offline or all "
         "(default: running,runnable,vmm; --stacks, --dump and --registers: all)",
         set_states, AT(selection)},
	{0, "focus", "RE", OPTION_ARG, "count only stacks with a function that matches the regular expression RE",
         add_pattern, AT(selection.focus)},
	{0, "ignore", "RE", OPTION_ARG, "omit stacks with a function that matches", add_pattern, AT(selection.ignore)},
	{0, "hide", "RE", OPTION_ARG, "remove frames that match; their time goes to their callers", add_pattern,
         AT(selection.hide)},
	{0, "show-from", "RE", OPTION_ARG, "start stacks at the first function that matches; omit stacks without one",
         add_pattern, AT(selection.show_from)},
	{0, "max-stack", "N", OPTION_ARG, "keep only the N frames nearest to the leaf", set_number,
         AT(selection.max_stack)},
	{0, "collapse-recursion", NULL, OPTION_NO_ARG, "show a function that calls itself as one frame",
         option_set_true, AT(selection.collapse_recursion)},
	{0, "weight", "WHAT", OPTION_ARG,
         "count time (default), which each sample stands for; samples; or cpu, the CPU time used since the previous "
         "sample",
         set_word, WORD_WEIGHT},
	{0, "percentage", "WHAT", OPTION_ARG,
         "relative: percentages of the samples that --focus, --ignore and --show-from keep; absolute (default): of "
         "all samples",
         set_word, WORD_PERCENTAGE},
	{0, "by", "WHAT", OPTION_ARG, "show each domain, vCPU or address space separately", set_word, WORD_GROUP},
	{0},
};

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
	{'n', "rows", "N", OPTION_ARG, "show only the first N lines of --flat and --csv", set_number,
         AT(options.rows)},
	{0, "percent-limit", "N", OPTION_ARG, "omit lines of tables below N percent (default: --tree 0.5)",
         set_percent, AT(options.percent_limit)},
	{0, "diff", "OLD", OPTION_ARG, "compare with the older trace OLD; may be given several times", add_old,
         AT(old)},
	{0, "diff-symbols", "[DOM=]FILE", OPTION_ARG,
         "symbols for OLD, as by -s, if it ran another binary than -s names", add_name, AT(old_files)},
	{0, "source-path", "DIR", OPTION_ARG,
         "for --annotate: look below DIR for source files that are not where they were compiled", set_sources,
         AT(options.source_path)},
	{0},
};

const struct option_def options_general[] = {
	{'o', "output", "FILE", OPTION_ARG,
         "write to FILE instead of standard output; a name that ends in .html, .svg, .folded, "
         ".collapsed, .pb, .pprof, .json, .csv or .upf, or in one of these and .gz, chooses the view, unless one is "
         "given",
         option_set_name, AT(output)},
	{0, "color", "WHEN", OPTION_ARG,
         "colour: always, never, or auto (default): on a terminal, unless NO_COLOR is set", set_word, WORD_COLOR},
	{0, "no-pager", NULL, OPTION_NO_ARG, "do not start a pager ($PAGER, or less) on a terminal", option_set_true,
         AT(no_pager)},
	{'q', "quiet", NULL, OPTION_NO_ARG, "suppress the notes on sample quality", option_set_true,
         AT(options.quiet)},
	{'h', "help", NULL, OPTION_NO_ARG, "print this text", option_set_true, AT(help)},
	{'V', "version", NULL, OPTION_NO_ARG, "print the version", option_set_true, AT(version)},
	{0, "completion", "SHELL", OPTION_ARG, NULL, option_set_name, AT(completion)},
	{0},
};
