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

/* One function calling another. */
struct edge {
	uint32_t caller, callee; /* NOBODY: stacks begin with the callee */
	uint64_t weight;
};

struct peek {
	const struct report *r;
	const struct fold *fold;
	bool *wanted; /* by function */
	HASH_ARRAY(struct edge, edges, n, by_ends);
};

/* --- edges ------------------------------------------------------------------------------------------------------- */

static int add_edge(struct peek *p, uint32_t caller, uint32_t callee, uint64_t weight)
{
	uint32_t id;
	int rc = hash_array_add(&p->by_ends, &id, callee, &(struct edge){caller, callee, 0});

	if (rc == 0)
		p->edges[id].weight += weight;
	return rc;
}

/* The same call is also nearer to the root, where everything below it has been counted. */
static bool is_repeated(const struct fold *fold, uint32_t n, uint32_t caller, uint32_t callee)
{
	const struct fold_node *nodes = fold->nodes;

	if (caller == NOBODY)
		return false;
	for (n = nodes[n].parent; n != 0; n = nodes[n].parent)
		if (nodes[n].function == callee && nodes[nodes[n].parent].function == caller)
			return true;
	return false;
}

static int find_edges(struct peek *p)
{
	const struct fold *fold = p->fold;
	int rc = 0;

	for (uint32_t n = 1; rc == 0 && n < fold->n; n++) {
		uint32_t callee = fold->nodes[n].function, caller = fold->nodes[fold->nodes[n].parent].function;

		if (!p->wanted[callee] && (caller == NOBODY || !p->wanted[caller]))
			continue;
		if (!is_repeated(fold, n, caller, callee))
			rc = add_edge(p, caller, callee, fold->nodes[n].total);
	}
	return rc;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct peek *p, uint32_t function)
{
	return function == NOBODY ? "[no caller: stacks begin here]" : p->r->run->names.functions[function].name;
}

static void print_line(const struct peek *p, uint64_t weight, const char *name, int indent)
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

/* Groups the edges of one function, the heaviest first. */
struct edge_order {
	const struct peek *p;
	bool of_callee; /* group by callee, not by caller */
};

static int compare_edges(const void *va, const void *vb, void *ctx)
{
	const struct edge_order *o = ctx;
	const struct edge *a = va, *b = vb;
	uint32_t fixed_a = o->of_callee ? a->callee : a->caller, fixed_b = o->of_callee ? b->callee : b->caller;

	if (fixed_a != fixed_b)
		return fixed_a < fixed_b ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return strcmp(name_of(o->p, o->of_callee ? a->caller : a->callee),
	              name_of(o->p, o->of_callee ? b->caller : b->callee));
}

/* The first edge of @function, in the order of @of_callee. */
static size_t first_edge(const struct edge *edges, size_t n, bool of_callee, uint32_t function)
{
	size_t low;

	ARRAY_SEARCH(low, n, (of_callee ? edges[low].callee : edges[low].caller) < function);
	return low;
}

static void print_edges(const struct peek *p, const char *title, const struct edge *edges, bool of_callee,
                        uint32_t function)
{
	double limit = view_limit(p->r->options, 0);

	for (size_t i = first_edge(edges, p->n, of_callee, function); i < p->n; i++) {
		if ((of_callee ? edges[i].callee : edges[i].caller) != function)
			return;
		if (!edges[i].weight || fold_share(p->fold, edges[i].weight) < limit)
			continue;
		if (title)
			fprintf(p->r->out.file, "%*s  %s\n", COLUMN_SHARE + 1 + COLUMN_WEIGHT, "", title);
		title = NULL;
		print_line(p, edges[i].weight, name_of(p, of_callee ? edges[i].caller : edges[i].callee), 4);
	}
}

static void print_function(const struct peek *p, const struct edge *by_callee, const struct edge *by_caller,
                           uint32_t function)
{
	const struct fold_function *f = &p->fold->functions[function];

	print_edges(p, "called by", by_callee, true, function);
	print_line(p, f->total, name_of(p, function), 0);
	print_line(p, f->self, "itself", 4);
	print_edges(p, "calls", by_caller, false, function);
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

static int compare_functions(const void *va, const void *vb, void *ctx)
{
	const struct peek *p = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	uint64_t total_a = p->fold->functions[a].total, total_b = p->fold->functions[b].total;

	if (total_a != total_b)
		return total_a > total_b ? -1 : 1;
	return strcmp(name_of(p, a), name_of(p, b));
}

static int print_all(struct peek *p, uint32_t *functions, size_t n)
{
	struct edge *copy = malloc((p->n + 1) * sizeof(*copy));
	struct edge_order order = {p, true};

	if (!copy)
		return -ENOMEM;
	if (p->n) {
		memcpy(copy, p->edges, p->n * sizeof(*copy));
		qsort_r(copy, p->n, sizeof(*copy), compare_edges, &order);
		order.of_callee = false;
		qsort_r(p->edges, p->n, sizeof(*p->edges), compare_edges, &order);
	}
	qsort_r(functions, n, sizeof(*functions), compare_functions, p);
	fprintf(p->r->out.file, "%6s %12s  Function\n", "Total", column_weight_title(p->fold->unit));
	for (size_t i = 0; i < n; i++) {
		fputc('\n', p->r->out.file);
		print_function(p, copy, p->edges, functions[i]);
	}
	free(copy);
	return 0;
}

static size_t find_wanted(const struct peek *p, uint32_t *functions)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->fold->nfunctions; i++) {
		p->wanted[i] = p->fold->functions[i].total && patterns_match(p->r->options->pattern, name_of(p, i));
		if (p->wanted[i])
			functions[n++] = i;
	}
	return n;
}

static int print_peek(const struct report *r, struct fold *fold, struct view_result *found)
{
	struct peek p = {.r = r, .fold = fold, .wanted = calloc(fold->nfunctions + 1, sizeof(*p.wanted))};
	uint32_t *functions = malloc((fold->nfunctions + 1) * sizeof(*functions));
	int rc = p.wanted && functions ? 0 : -ENOMEM;
	size_t n = rc == 0 ? find_wanted(&p, functions) : 0;

	found->nothing = n == 0;
	if (rc == 0 && n)
		rc = find_edges(&p);
	if (rc == 0 && n)
		rc = print_all(&p, functions, n);
	free(functions);
	free(p.wanted);
	hash_array_free(&p.by_ends);
	return rc;
}

static int run(const struct report *r, struct view_result *found)
{
	return view_table(r, found, print_peek);
}

const struct view view_peek = {
	.name = "peek",
	.arg = "RE",
	.help = "functions that match RE, each with its callers and callees",
	.states = STATES_CPU,
	.takes = VIEW_PATTERN | VIEW_LIMITS | VIEW_GROUPS,
	.run = run,
};
