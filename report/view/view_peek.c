/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_peek.c - functions by name, each with its callers and callees. A stack counts once for a pair of caller and
 * callee, however often the call is in it.
 */
#include "report/view/table_columns.h"
#include "report/output/text.h"
#include "report/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY FOLD_NONE

/* A line of a function: one that calls it, or, behind the function itself, that it calls. */
struct edge {
	uint32_t function, other; /* NOBODY: stacks begin with the function */
	uint32_t is_call;         /* 1: @function calls @other */
	uint32_t end;             /* of what is below the node that counted last */
	uint64_t weight;
};

struct peek {
	const struct report *r;
	const struct fold *fold;
	bool *wanted; /* by function */
	HASH_ARRAY(struct edge, edges, n, by_ends);
};

/* --- edges ------------------------------------------------------------------------------------------------------- */

/* Below a node the same call does not count again. */
static int add_edge(struct peek *p, uint32_t n, uint32_t function, uint32_t other, bool is_call)
{
	const struct fold_node *node = &p->fold->nodes[n];
	uint32_t id;
	int rc = hash_array_add(&p->by_ends, &id, is_call,
	                        &(struct edge){.function = function, .other = other, .is_call = is_call});

	if (rc != 0 || n < p->edges[id].end)
		return rc;
	p->edges[id].weight += node->w.total[FOLD_NEW];
	p->edges[id].end = n + 1 + node->below;
	return 0;
}

static int find_edges(struct peek *p)
{
	const struct fold_node *nodes = p->fold->nodes;
	int rc = 0;

	for (uint32_t n = 1; rc == 0 && n < p->fold->n; n++) {
		uint32_t callee = nodes[n].function, caller = nodes[nodes[n].parent].function;

		if (p->wanted[callee])
			rc = add_edge(p, n, callee, caller, false);
		if (rc == 0 && caller != NOBODY && p->wanted[caller])
			rc = add_edge(p, n, caller, callee, true);
	}
	return rc;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static const char *function_name(const struct peek *p, uint32_t function)
{
	return function == NOBODY ? "[no caller: stacks begin here]" : p->r->run->names.functions[function].name;
}

static void print_neighbour(const struct peek *p, uint64_t weight, const char *name, int indent)
{
	const struct report *r = p->r;

	column_share(&r->out, fold_share(p->fold, weight));
	fputc(' ', r->out.file);
	column_weight(&r->out, p->fold->unit, weight);
	fprintf(r->out.file, "  %*s", indent, "");
	text_name(r->out.file, name, text_room(r->out.width, COLUMN_SHARE + 1 + COLUMN_WEIGHT + 2 + indent),
	          r->out.utf8);
	fputc('\n', r->out.file);
}

static int compare_weights_names(const struct peek *p, uint64_t weight_a, uint64_t weight_b, uint32_t a, uint32_t b)
{
	return weight_a != weight_b ? (weight_a > weight_b ? -1 : 1)
	                            : strcmp(function_name(p, a), function_name(p, b));
}

/* By function, the heaviest first; the same of who calls it and of what it calls. */
static int compare_neighbours(const void *va, const void *vb, void *ctx)
{
	const struct peek *p = ctx;
	const struct edge *a = va, *b = vb;
	const struct fold_weights *functions = p->fold->functions;

	if (a->function != b->function)
		return compare_weights_names(p, functions[a->function].total[FOLD_NEW],
		                             functions[b->function].total[FOLD_NEW], a->function, b->function);
	if (a->is_call != b->is_call)
		return a->is_call ? 1 : -1;
	return compare_weights_names(p, a->weight, b->weight, a->other, b->other);
}

/* From number @i on, those of @function and of this kind, below @title. The number of the one behind them. */
static size_t print_edges(const struct peek *p, const char *title, size_t i, uint32_t function, bool is_call)
{
	double limit = view_limit(p->r->options, 0);

	for (; i < p->n && p->edges[i].function == function && p->edges[i].is_call == is_call; i++) {
		const struct edge *edge = &p->edges[i];

		if (!edge->weight || fold_share(p->fold, edge->weight) < limit)
			continue;
		if (title)
			fprintf(p->r->out.file, "%*s  %s\n", COLUMN_SHARE + 1 + COLUMN_WEIGHT, "", title);
		title = NULL;
		print_neighbour(p, edge->weight, function_name(p, edge->other), 4);
	}
	return i;
}

static void print_wanted(const struct peek *p)
{
	fprintf(p->r->out.file, "%6s %12s  Function\n", "Total", column_weight_title(p->fold->unit));
	for (size_t i = 0; i < p->n;) {
		uint32_t function = p->edges[i].function;
		const struct fold_weights *w = &p->fold->functions[function];

		fputc('\n', p->r->out.file);
		i = print_edges(p, "called by", i, function, false);
		print_neighbour(p, w->total[FOLD_NEW], function_name(p, function), 0);
		print_neighbour(p, w->self[FOLD_NEW], "itself", 4);
		i = print_edges(p, "calls", i, function, true);
	}
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

static int print_peek(const struct report *r, struct fold *fold, struct view_result *found)
{
	struct peek p = {.r = r, .fold = fold, .wanted = calloc(fold->nfunctions + 1, sizeof(*p.wanted))};
	int rc = p.wanted ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < fold->nfunctions; i++)
		p.wanted[i] = fold->functions[i].total[FOLD_NEW] &&
		              patterns_match(r->options->pattern, function_name(&p, i));
	if (rc == 0)
		rc = find_edges(&p);
	found->nothing = p.n == 0;
	if (rc == 0 && p.n) {
		qsort_r(p.edges, p.n, sizeof(*p.edges), compare_neighbours, &p);
		print_wanted(&p);
	}
	free(p.wanted);
	hash_array_free(&p.by_ends);
	return rc;
}

const struct view view_peek = {
	.name = "peek",
	.arg = "RE",
	.help = "functions that match RE, each with its callers and callees",
	.states = STATES_CPU,
	.takes = VIEW_PATTERN | VIEW_LIMITS | VIEW_GROUPS,
	.table = print_peek,
};
