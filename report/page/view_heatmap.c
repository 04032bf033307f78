/* SPDX-License-Identifier: BSD-2-Clause */
/* view_heatmap.c - a page with a heat map of when the time was spent, and the flame graph of any range of it. */
#include "report/page/flame_view.h"
#include "report/page/page.h"

#include <errno.h>
#include <stdlib.h>

/* Identifies a sample's stack while the trace is read; its number in the flame graph is known only afterwards. */
struct place {
	uint32_t node, domain, vcpu, user;
	uint64_t space;
};

#define HEAT_TIME_MAX (1ull << 58) /* ns that a footer may claim: nine years */

/* Number 0: all samples that filters by name leave out. No stack has its node. */
#define LEFT_OUT 0
static const struct place left_out_place = {.node = UINT32_MAX};

struct mapping {
	const struct report *report;
	struct heat heat;
	struct hash_array places;
};

/* What a record adds to the map; 0: nothing. */
static uint64_t weight_of(const struct mapping *m, const struct upf_record *rec)
{
	const struct selection *selection = m->report->selection;

	if (rec->kind != UPF_SAMPLE || !(selection->states & 1u << counters_state(rec->state)))
		return 0;
	return profile_sample_weight(&m->report->run->profile, rec, selection->weight);
}

static int record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct mapping *m = ctx;
	const struct place key = {node, rec->domain, rec->vcpu, rec->user,
	                          profile_space(&m->report->run->profile, rec)};
	uint64_t weight = weight_of(m, rec);
	uint32_t place;
	int rc;

	(void)b;
	if (weight == 0)
		return 0;
	rc = hash_array_add(&m->places, &place, space, &key);
	return rc == 0 ? heat_add(&m->heat, rec->time_ns, weight, place, m->places.n) : rc;
}

static int left_out(void *ctx, const struct upf_record *rec)
{
	struct mapping *m = ctx;
	uint64_t weight = weight_of(m, rec);

	return weight ? heat_add(&m->heat, rec->time_ns, weight, LEFT_OUT, m->places.n) : 0;
}

/*
 * The flame graph's stack of each place. A stack that no record was seen of has none. What is left out gets the number
 * after all others, if it belongs to what shares are of.
 */
static int name_places(struct mapping *m, const uint32_t *stack_of, const uint32_t *moved, uint32_t nstacks,
                       uint32_t *called)
{
	const struct profile *p = &m->report->run->profile;
	size_t n = m->places.n;

	for (size_t i = 0; i < n; i++)
		called[i] = UINT32_MAX;
	for (size_t i = 0; i < p->nstacks; i++) {
		const struct stack *s = &p->stacks[i];
		uint32_t place;
		const struct place key = {s->node, s->domain, s->vcpu, s->user, s->space};
		int rc = stack_of[i] == FLAME_NONE ? 0 : hash_array_add(&m->places, &place, space, &key);

		if (rc != 0)
			return rc;
		if (stack_of[i] != FLAME_NONE && place < n)
			called[place] = moved[stack_of[i]];
	}
	called[LEFT_OUT] = m->report->selection->relative ? UINT32_MAX : nstacks;
	return 0;
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

static int make_flame(struct mapping *m, const struct report *r, struct flame *flame)
{
	uint32_t *stack_of = malloc((r->run->profile.nstacks + 1) * sizeof(*stack_of));
	uint32_t *moved = malloc((r->run->profile.nstacks + 1) * sizeof(*moved));
	uint32_t *called = malloc((m->places.n + 1) * sizeof(*called));
	int rc = stack_of && moved && called ? 0 : -ENOMEM;

	if (rc == 0)
		rc = flame_view_make(r, flame, stack_of, moved);
	if (rc == 0)
		rc = name_places(m, stack_of, moved, (uint32_t)flame->nstacks, called);
	if (rc == 0)
		heat_finish(&m->heat, end_of_time(r), called);
	free(stack_of);
	free(moved);
	free(called);
	return rc;
}

static int write_page(struct mapping *m, const struct report *r)
{
	struct flame flame = {0};
	struct fold fold;
	const struct page_content content = {.run = r->run,
	                                     .selection = r->selection,
	                                     .fold = &fold,
	                                     .flame = &flame,
	                                     .heat = &m->heat,
	                                     .quiet = r->options->quiet};
	int rc = view_fold_loaded(r, &fold);

	if (rc != 0)
		return rc;
	rc = make_flame(m, r, &flame);
	if (rc == 0)
		rc = page_write(&content, r->out.file);
	if (rc == 0)
		view_end(r, &fold, fold.samples);
	flame_free(&flame);
	fold_free(&fold);
	return rc;
}

static int run(const struct report *r, struct view_result *found)
{
	struct mapping m = {.report = r};
	struct load_hooks hooks = {.ctx = &m, .record = record, .left_out = left_out};
	uint32_t first;
	int rc = hash_array_add(&m.places, &first, space, &left_out_place);

	(void)found;
	heat_init(&m.heat, r->run->traces.session.rate_mhz, r->run->traces.list[0].scope.from_ns);
	hooks.slot_ns = m.heat.cell_ns; /* cells only ever become a multiple of it */
	if (rc == 0)
		rc = view_load(r, &hooks);
	if (rc == 0)
		rc = write_page(&m, r);
	heat_free(&m.heat);
	hash_array_free(&m.places);
	return rc;
}

const struct view view_heatmap = {
	.name = "heatmap",
	.help = "heat map: when the time was spent, with the flame graph of any range, as one HTML file",
	.states = STATES_CPU,
	.takes = VIEW_GROUPS | VIEW_FILE,
	.run = run,
};
