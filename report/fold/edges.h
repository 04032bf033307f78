/* SPDX-License-Identifier: BSD-2-Clause */
/* edges.h - who calls a function, and what it calls: weights by caller and callee. */
#ifndef REPORT_FOLD_EDGES_H
#define REPORT_FOLD_EDGES_H

#include "report/fold/fold.h"

/* A stack counts once for a pair of caller and callee, however often the call is in it. */
struct edge {
	uint32_t function, other; /* FOLD_NONE: stacks begin with the function */
	uint32_t is_call;         /* 1: @function calls @other; 0: it is called by it */
	uint32_t end;             /* of what is below the node that counted last */
	uint64_t weight;
};

/* hash_array_free() of @by_ends at the end. */
struct edges {
	HASH_ARRAY(struct edge, edges, n, by_ends);
};

/* The name of a function, or of what stands for none. */
const char *edge_name(const struct symbolizer *names, uint32_t function);
/* Those of all functions with wanted[function]. 0 or -ENOMEM, -EOVERFLOW. */
int edges_find(struct edges *e, const struct fold *fold, const bool *wanted);
/* By function, the heaviest first: who calls it, then what it calls, again the heaviest first. */
void edges_sort(struct edges *e, const struct fold *fold, const struct symbolizer *names);

#endif
