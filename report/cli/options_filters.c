/* SPDX-License-Identifier: BSD-2-Clause */
/* options_filters.c - the options for what counts. */
#include "report/cli/option_groups.h"
#include "report/cli/settings.h"
#include "common/parse.h"

#include <string.h>

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

static int apply_state(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;
	const char *at = value;
	size_t len;

	(void)def;
	s->selection.some_states = true;
	do {
		unsigned bits;

		len = strcspn(at, ",");
		bits = state_bits(at, len);
		if (bits == 0) {
			snprintf(why, size, "a list of running, runnable, vmm, blocked, offline or all is needed");
			return -1;
		}
		s->selection.states |= bits;
		at += len + 1;
	} while (at[-1] == ',');
	return 0;
}

static int apply_collapse(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct settings *s = ctx;

	(void)def, (void)value, (void)why, (void)size;
	s->selection.collapse_recursion = true;
	return 0;
}

/* --- one word of a few ------------------------------------------------------------------------------------------- */

enum { WORD_WEIGHT, WORD_PERCENTAGE, WORD_GROUP };

#define WORDS 3

/* Of each option, the values' words; those of WORD_GROUP are of enum group from GROUP_BY_DOMAIN on. */
static const char *const words[][WORDS] = {
	[WORD_WEIGHT] = {"time", "samples", "cpu"},
	[WORD_PERCENTAGE] = {"absolute", "relative"},
	[WORD_GROUP] = {"domain", "vcpu", "space"},
};

static int apply_word(void *ctx, const struct option_def *def, const char *value, char *why, size_t size)
{
	struct selection *s = &((struct settings *)ctx)->selection;
	const char *const *known = words[def->id];
	unsigned n = 0;

	while (n < WORDS && known[n] && strcmp(value, known[n]) != 0)
		n++;
	if (n == WORDS || !known[n]) {
		snprintf(why, size, "%s%s%s or %s is needed", known[0], known[2] ? ", " : "", known[2] ? known[1] : "",
		         known[known[2] ? 2 : 1]);
		return -1;
	}
	if (def->id == WORD_WEIGHT)
		s->weight = WEIGHT_TIME + n;
	else if (def->id == WORD_PERCENTAGE)
		s->relative = n;
	else
		s->group = GROUP_BY_DOMAIN + n;
	return 0;
}

/* --- the rows ---------------------------------------------------------------------------------------------------- */

const struct option_def options_filters[] = {
	{0, "time", "FROM,TO", OPTION_ARG,
         "count only samples of this time range: 1.5,3 are seconds; 500ms or 10% also work; either "
         "end may be omitted; 10%/2 is the second tenth",
         apply_pick, PICK_TIME},
	{0, "vcpu", "LIST", OPTION_ARG, "count only samples of these vCPUs: 0,2-5", apply_pick, PICK_VCPUS},
	{0, "domain", "LIST", OPTION_ARG, "count only samples of these domains, by name or number", apply_pick,
         PICK_DOMAINS},
	{0, "state", "LIST", OPTION_ARG,
         "count only samples of vCPUs in these run states: running,runnable,vmm,blocked,offline or all "
         "(default: running,runnable,vmm; --stacks, --dump and --registers: all)",
         apply_state, 0},
	{0, "focus", "RE", OPTION_ARG, "count only stacks with a function that matches the regular expression RE",
         apply_names, NAMES_FOCUS},
	{0, "ignore", "RE", OPTION_ARG, "omit stacks with a function that matches", apply_names, NAMES_IGNORE},
	{0, "hide", "RE", OPTION_ARG, "remove frames that match; their time goes to their callers", apply_names,
         NAMES_HIDE},
	{0, "show-from", "RE", OPTION_ARG, "start stacks at the first function that matches; omit stacks without one",
         apply_names, NAMES_SHOW_FROM},
	{0, "max-stack", "N", OPTION_ARG, "keep only the N frames nearest to the leaf", apply_max_stack, 0},
	{0, "collapse-recursion", NULL, OPTION_NO_ARG, "show a function that calls itself as one frame",
         apply_collapse, 0},
	{0, "weight", "WHAT", OPTION_ARG,
         "count time (default), which each sample stands for; samples; or cpu, the CPU time used since the previous "
         "sample",
         apply_word, WORD_WEIGHT},
	{0, "percentage", "WHAT", OPTION_ARG,
         "relative: percentages of the samples that --focus, --ignore and --show-from keep; absolute (default): of "
         "all samples",
         apply_word, WORD_PERCENTAGE},
	{0, "by", "WHAT", OPTION_ARG, "show each domain, vCPU or address space separately", apply_word, WORD_GROUP},
	{0},
};
