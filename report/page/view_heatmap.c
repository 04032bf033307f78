/* SPDX-License-Identifier: BSD-2-Clause */
/* view_heatmap.c - a page with a heat map of when the time was spent, and the flame graph of any range of it. */
#include "report/page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAT_TIME_MAX (1ull << 58) /* ns that a footer may claim: nine years */

/* Number 0: all samples that filters by name leave out; stack n of the profile is n + 1. */
#define LEFT_OUT 0

struct mapping {
	const struct report *report;
	struct heat heat;
};

static int map_sample(struct mapping *m, const struct upf_record *rec, uint32_t stack)
{
	const struct profile *p = &m->report->run->profile;
	const struct selection *selection = m->report->selection;
	uint64_t weight = profile_sample_weight(p, rec, selection->weight);

	if (weight == 0 || !counters_among(selection->states, rec->state))
		return 0;
	return heat_add(&m->heat, rec->time_ns, weight, stack, p->nstacks + 1);
}

static int map_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct mapping *m = ctx;

	(void)b;
	return rec->kind == UPF_SAMPLE ? map_sample(m, rec, profile_latest(&m->report->run->profile, node) + 1) : 0;
}

static int left_out(void *ctx, const struct upf_record *rec)
{
	return map_sample(ctx, rec, LEFT_OUT);
}

/* When what counts ends; 0: the last sample tells. */
static uint64_t end_of_time(const struct report *r)
{
	uint64_t end = r->run->traces.list[0].scope.to_ns, last = 0;

	for (size_t i = 0; i < r->run->traces.n; i++) {
		enum upf_reason reason;
		const struct trace *t = &r->run->traces.list[i];
		const struct upf_totals *totals = upf_reader_totals(t->reader, &reason);

		if (totals && totals->duration_ns < HEAT_TIME_MAX && totals->duration_ns + t->scope.later_ns > last)
			last = totals->duration_ns + t->scope.later_ns;
	}
	return end < last ? end : last;
}

/*
 * Stacks become those of the flame graph. What is left out gets the number after all others, if it belongs to what
 * shares are of.
 */
static int write_heatmap(const struct report *r, struct fold *fold, void *ctx)
{
	struct mapping *m = ctx;
	uint32_t *called = malloc((fold->nstack_of + 1) * sizeof(*called));
	int rc;

	if (!called)
		return -ENOMEM;
	called[LEFT_OUT] = r->selection->relative ? UINT32_MAX : (uint32_t)fold->nstacks;
	memcpy(called + 1, fold->stack_of, fold->nstack_of * sizeof(*called));
	heat_finish(&m->heat, end_of_time(r), called);
	free(called);
	rc = page_write(r, fold, &m->heat);
	if (rc == 0)
		view_end(r, fold, fold->samples);
	return rc;
}

static int run_heatmap(const struct report *r, struct view_result *found)
{
	struct mapping m = {.report = r};
	struct load_hooks hooks = {.ctx = &m, .record = map_record, .left_out = left_out};
	int rc;

	(void)found;
	heat_init(&m.heat, r->run->traces.session.rate_mhz, r->run->traces.list[0].scope.from_ns);
	hooks.slot_ns = m.heat.cell_ns; /* cells only ever become a multiple of it */
	rc = view_fold(r, &hooks, true, write_heatmap, &m);
	heat_free(&m.heat);
	return rc;
}

const struct view view_heatmap = {
	.name = "heatmap",
	.help = "heat map: when the time was spent, with the flame graph of any range, as one HTML file",
	.states = STATES_CPU,
	.takes = VIEW_GROUPS | VIEW_FILE,
	.run = run_heatmap,
};
