/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/top/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TREE_LIMIT 0.005 /* of 1: smaller branches are left out, as by --tree */

/* --- the fold ---------------------------------------------------------------------------------------------------- */

static void forget(struct shown *s)
{
	if (s->folded)
		fold_free(&s->fold);
	free(s->paths);
	free(s->recent.stacks);
	free(s->before.stacks);
	s->paths = NULL;
	s->recent.stacks = s->before.stacks = NULL;
	s->folded = false;
	s->nrows = 0;
}

static void keep_only(struct profile *part, const struct shown_request *q)
{
	for (size_t i = 0; i < part->nstacks; i++) {
		struct stack *s = &part->stacks[i];

		if ((q->domain != SHOWN_ALL && s->domain != q->domain) || (q->vcpu != SHOWN_ALL && s->vcpu != q->vcpu))
			s->samples = s->cpu_ns = s->time = 0;
	}
}

/* What is shown, and if it does not begin at the beginning as long a time before it, to compare it with. */
static int make_parts(struct shown *s, const struct shown_request *q)
{
	const struct profile *p = &s->r->run->profile;
	uint64_t now = q->until ? q->until->time_ns : p->counters.last_ns;
	const struct window_mark *from =
		q->last_ns && now > q->last_ns ? window_find(&s->window, now - q->last_ns) : NULL;
	int rc = window_part(p, from, q->until, &s->recent);

	if (rc != 0)
		return rc;
	keep_only(&s->recent, q);
	s->since_start = !from;
	s->span_ns = now - (from ? from->time_ns : 0);
	if (!from)
		return 0;
	rc = window_part(p, from->time_ns > q->last_ns ? window_find(&s->window, from->time_ns - q->last_ns) : NULL,
	                 from, &s->before);
	if (rc == 0)
		keep_only(&s->before, q);
	return rc;
}

static int make_paths(struct shown *s)
{
	s->paths = malloc(s->fold.n * sizeof(*s->paths));
	if (!s->paths)
		return -ENOMEM;
	s->paths[0] = 1;
	for (size_t i = 1; i < s->fold.n; i++) {
		const struct fold_node *node = &s->fold.nodes[i];

		s->paths[i] = (s->paths[node->parent] ^ (node->function + 1)) * UINT64_C(0x9e3779b97f4a7c15);
		s->paths[i] ^= s->paths[i] >> 29;
	}
	return 0;
}

static struct fold_request request_of(const struct shown *s)
{
	struct fold_request request = view_request(s->r);

	request.run[FOLD_NEW].profile = &s->recent;
	if (s->before.stacks) {
		request.run[FOLD_OLD] = request.run[FOLD_NEW];
		request.run[FOLD_OLD].profile = &s->before;
	}
	return request;
}

static int make_fold(struct shown *s, const struct shown_request *q)
{
	const struct fold_request request = request_of(s);
	int rc;

	rc = fold_make(&s->fold, &request);
	if (rc != 0)
		return rc;
	s->folded = true;
	rc = fold_sort(&s->fold, &s->r->run->names, q->as == SHOWN_FLAME ? FOLD_BY_NAME : FOLD_BY_TOTAL);
	return rc == 0 ? make_paths(s) : rc;
}

uint32_t shown_node(const struct shown *s, uint64_t key)
{
	for (uint32_t i = 0; s->folded && i < s->fold.n; i++)
		if (s->paths[i] == key)
			return i;
	return 0;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static int add_row(struct shown *s, const struct shown_row *row)
{
	return array_add(s->rows, s->rows_cap, s->nrows, *row);
}

static double change_of(const struct shown *s, const uint64_t weight[FOLD_RUNS])
{
	return s->fold.total[FOLD_OLD] ? fold_change(&s->fold, weight) : 0;
}

struct row_order {
	const struct shown *s;
	enum shown_order by;
};

static int compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct shown_row *a = va, *b = vb;
	const struct row_order *o = ctx;
	double x = a->self, y = b->self;

	if (o->by == SHOWN_BY_TOTAL)
		x = a->total, y = b->total;
	else if (o->by == SHOWN_BY_CHANGE)
		x = a->change < 0 ? -a->change : a->change, y = b->change < 0 ? -b->change : b->change;
	if (o->by != SHOWN_BY_NAME && x != y)
		return x > y ? -1 : 1;
	return strcmp(shown_name(o->s, a->function), shown_name(o->s, b->function));
}

/* Functions, as --flat has them. */
static int make_table(struct shown *s, const struct shown_request *q)
{
	const struct fold_request request = request_of(s);
	struct keys keys = {.key = {KEY_SYM}, .n = 1, .merge_nameless = true};
	struct table table;
	int rc;

	rc = table_make(&table, &keys, &request);
	if (rc != 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < table.n; i++) {
		const struct table_row *row = &table.rows[i];

		if (row->w.total[FOLD_NEW] || row->w.total[FOLD_OLD])
			rc = add_row(s, &(struct shown_row){.key = row->text[0],
			                                    .function = row->text[0],
			                                    .mark = ' ',
			                                    .self = fold_share(&s->fold, row->w.self[FOLD_NEW]),
			                                    .total = fold_share(&s->fold, row->w.total[FOLD_NEW]),
			                                    .change = change_of(s, q->order == SHOWN_BY_TOTAL
			                                                                   ? row->w.total
			                                                                   : row->w.self)});
	}
	table_free(&table);
	if (rc == 0 && s->nrows)
		qsort_r(s->rows, s->nrows, sizeof(*s->rows), compare_rows, &(struct row_order){s, q->order});
	return rc;
}

static struct closed_branch *branch_of(const struct shown *s, uint64_t key)
{
	for (size_t i = 0; i < s->nclosed; i++)
		if (s->closed[i].key == key)
			return &s->closed[i];
	return NULL;
}

static bool is_closed(const struct shown *s, uint64_t key)
{
	const struct closed_branch *b = branch_of(s, key);

	return b && b->is_closed;
}

int shown_turn(struct shown *s, uint64_t key)
{
	struct closed_branch *b = branch_of(s, key);

	if (b) {
		b->is_closed = !b->is_closed;
		return 0;
	}
	return array_add(s->closed, s->closed_cap, s->nclosed, (struct closed_branch){.key = key, .is_closed = true});
}

static int make_tree(struct shown *s)
{
	const struct fold *f = &s->fold;
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < f->n; i++) {
		const struct fold_node *node = &f->nodes[i];
		bool closed = is_closed(s, s->paths[i]);

		if (fold_share(f, node->w.total[FOLD_NEW]) < TREE_LIMIT) {
			i += node->below;
			continue;
		}
		rc = add_row(s, &(struct shown_row){.key = s->paths[i],
		                                    .function = node->function,
		                                    .indent = node->depth - 1,
		                                    .mark = node->below ? (closed ? '+' : '-') : ' ',
		                                    .self = fold_share(f, node->w.self[FOLD_NEW]),
		                                    .total = fold_share(f, node->w.total[FOLD_NEW]),
		                                    .change = change_of(s, node->w.total)});
		i += closed ? node->below : 0;
	}
	return rc;
}

static int add_itself(struct shown *s, uint32_t function)
{
	const struct fold_weights *w = &s->fold.functions[function];

	return add_row(s, &(struct shown_row){.key = UINT64_MAX,
	                                      .function = function,
	                                      .indent = 1,
	                                      .mark = '*',
	                                      .self = fold_share(&s->fold, w->self[FOLD_NEW]),
	                                      .total = fold_share(&s->fold, w->total[FOLD_NEW]),
	                                      .change = change_of(s, w->total)});
}

/* Callers, the function itself, and below it what it calls. */
static int make_calls(struct shown *s, uint32_t function)
{
	const struct fold *f = &s->fold;
	bool *wanted = calloc(f->nfunctions + 1, sizeof(*wanted)), told = false;
	struct edges edges = {0};
	int rc = wanted && function < f->nfunctions ? 0 : -ENOMEM;

	if (rc == 0) {
		wanted[function] = true;
		rc = edges_find(&edges, f, wanted);
	}
	if (rc == 0 && edges.n)
		edges_sort(&edges, f, &s->r->run->names);
	for (size_t i = 0; rc == 0 && i < edges.n; i++) {
		const struct edge *edge = &edges.edges[i];

		if (edge->is_call && !told)
			rc = add_itself(s, function);
		told |= edge->is_call;
		if (rc == 0 && edge->weight)
			rc = add_row(s, &(struct shown_row){.key = (uint64_t)edge->other << 1 | edge->is_call,
			                                    .function = edge->other,
			                                    .indent = edge->is_call ? 2 : 0,
			                                    .mark = ' ',
			                                    .total = fold_share(f, edge->weight)});
	}
	if (rc == 0 && !told)
		rc = add_itself(s, function);
	free(wanted);
	hash_array_free(&edges.by_ends);
	return rc;
}

int shown_make(struct shown *s, const struct shown_request *q)
{
	int rc;

	forget(s);
	rc = make_parts(s, q);
	if (rc == 0)
		rc = make_fold(s, q);
	if (rc == 0 && q->as == SHOWN_TABLE)
		rc = make_table(s, q);
	else if (rc == 0 && q->as == SHOWN_TREE)
		rc = make_tree(s);
	else if (rc == 0 && q->as == SHOWN_CALLS)
		rc = make_calls(s, q->function);
	if (rc != 0)
		forget(s);
	return rc;
}

void shown_free(struct shown *s)
{
	forget(s);
	window_free(&s->window);
	free(s->rows);
	free(s->closed);
}
