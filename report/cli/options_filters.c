/* SPDX-License-Identifier: BSD-2-Clause */
/* options_filters.c - the options for what counts. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/parse.h"

#include <string.h>

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

static int set_max_stack(struct option_use *use)
{
	uint64_t n;

	if (parse_u64(use->value, 1, UINT32_MAX, &n) != 0)
		return option_refuse(use, "a number of frames, 1 or more, is needed");
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

#define WORDS 3

/* Of each option, the values' words; those of WORD_GROUP are of enum group from GROUP_BY_DOMAIN on. */
static const char *const words[][WORDS] = {
	[WORD_WEIGHT] = {"time", "samples", "cpu"},
	[WORD_PERCENTAGE] = {"absolute", "relative"},
	[WORD_GROUP] = {"domain", "vcpu", "space"},
	[WORD_COLOR] = {"auto", "always", "never"},
};

int option_set_word(struct option_use *use)
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

/* --- the rows ---------------------------------------------------------------------------------------------------- */

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
	{0, "max-stack", "N", OPTION_ARG, "keep only the N frames nearest to the leaf", set_max_stack,
         AT(selection.max_stack)},
	{0, "collapse-recursion", NULL, OPTION_NO_ARG, "show a function that calls itself as one frame",
         option_set_true, AT(selection.collapse_recursion)},
	{0, "weight", "WHAT", OPTION_ARG,
         "count time (default), which each sample stands for; samples; or cpu, the CPU time used since the previous "
         "sample",
         option_set_word, WORD_WEIGHT},
	{0, "percentage", "WHAT", OPTION_ARG,
         "relative: percentages of the samples that --focus, --ignore and --show-from keep; absolute (default): of "
         "all samples",
         option_set_word, WORD_PERCENTAGE},
	{0, "by", "WHAT", OPTION_ARG, "show each domain, vCPU or address space separately", option_set_word,
         WORD_GROUP},
	{0},
};
