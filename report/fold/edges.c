/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/fold/edges.h"

#include <stdlib.h>
#include <string.h>

const char *edge_name(const struct symbolizer *names, uint32_t function)
{
	return function == FOLD_NONE ? "[no caller: stacks begin here]" : names->functions[function].name;
}

/* Below a node the same call does not count again. */
static int add_edge(struct edges *e, const struct fold *fold, uint32_t n, uint32_t function, uint32_t other,
                    bool is_call)
{
	const struct fold_node *node = &fold->nodes[n];
	uint32_t id;
	int rc = hash_array_add(&e->by_ends, &id, is_call,
	                        &(struct edge){.function = function, .other = other, .is_call = is_call});

	if (rc != 0 || n < e->edges[id].end)
		return rc;
	e->edges[id].weight += node->w.total[FOLD_NEW];
	e->edges[id].end = n + 1 + node->below;
	return 0;
}

int edges_find(struct edges *e, const struct fold *fold, const bool *wanted)
{
	const struct fold_node *nodes = fold->nodes;
	int rc = 0;

	for (uint32_t n = 1; rc == 0 && n < fold->n; n++) {
		uint32_t callee = nodes[n].function, caller = nodes[nodes[n].parent].function;

		if (wanted[callee])
			rc = add_edge(e, fold, n, callee, caller, false);
		if (rc == 0 && caller != FOLD_NONE && wanted[caller])
			rc = add_edge(e, fold, n, caller, callee, true);
	}
	return rc;
}

struct order {
	const struct fold *fold;
	const struct symbolizer *names;
};

static int compare_weights_names(const struct order *o, uint64_t weight_a, uint64_t weight_b, uint32_t a, uint32_t b)
{
	return weight_a != weight_b ? (weight_a > weight_b ? -1 : 1)
	                            : strcmp(edge_name(o->names, a), edge_name(o->names, b));
}

static int compare_edges(const void *va, const void *vb, void *ctx)
{
	const struct order *o = ctx;
	const struct edge *a = va, *b = vb;
	const struct fold_weights *functions = o->fold->functions;

	if (a->function != b->function)
		return compare_weights_names(o, functions[a->function].total[FOLD_NEW],
		                             functions[b->function].total[FOLD_NEW], a->function, b->function);
	if (a->is_call != b->is_call)
		return a->is_call ? 1 : -1;
	return compare_weights_names(o, a->weight, b->weight, a->other, b->other);
}

void edges_sort(struct edges *e, const struct fold *fold, const struct symbolizer *names)
{
	qsort_r(e->edges, e->n, sizeof(*e->edges), compare_edges, &(struct order){fold, names});
}
