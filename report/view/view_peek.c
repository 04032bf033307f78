/* SPDX-License-Identifier: BSD-2-Clause */
/* view_peek.c - functions by name, each with its callers and callees. */
#include "report/fold/edges.h"
#include "report/view/table_columns.h"
#include "report/output/text.h"
#include "report/view/view.h"

#include <errno.h>
#include <stdlib.h>

struct peek {
	const struct report *r;
	const struct fold *fold;
	struct edges edges;
};

/* --- lines ------------------------------------------------------------------------------------------------------- */

static const char *function_name(const struct peek *p, uint32_t function)
{
	return edge_name(&p->r->run->names, function);
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

/* From number @i on, those of @function and of this kind, below @title. The number of the one behind them. */
static size_t print_edges(const struct peek *p, const char *title, size_t i, uint32_t function, bool is_call)
{
	double limit = view_limit(p->r->options, 0);

	for (; i < p->edges.n && p->edges.edges[i].function == function && p->edges.edges[i].is_call == is_call; i++) {
		const struct edge *edge = &p->edges.edges[i];

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
	for (size_t i = 0; i < p->edges.n;) {
		uint32_t function = p->edges.edges[i].function;
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
	struct peek p = {.r = r, .fold = fold};
	bool *wanted = calloc(fold->nfunctions + 1, sizeof(*wanted));
	int rc = wanted ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < fold->nfunctions; i++)
		wanted[i] = fold->functions[i].total[FOLD_NEW] &&
		            patterns_match(r->options->pattern, function_name(&p, i));
	if (rc == 0)
		rc = edges_find(&p.edges, fold, wanted);
	found->nothing = p.edges.n == 0;
	if (rc == 0 && p.edges.n) {
		edges_sort(&p.edges, fold, &r->run->names);
		print_wanted(&p);
	}
	free(wanted);
	hash_array_free(&p.edges.by_ends);
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
