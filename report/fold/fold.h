/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fold.h - all stacks folded into one tree of functions: frames of one function under one caller are one node.
 *
 * Stacks come from display_stack.h: filtered, below their domain and vCPU if those are told apart, and below [user].
 * For a comparison the tree has the weights of both runs; what is in one run only has the weight 0 in the other.
 *
 * Nodes are depth first: a node is followed by all that it called, so a loop over them is a walk.
 */
#ifndef REPORT_FOLD_FOLD_H
#define REPORT_FOLD_FOLD_H

#include "report/fold/display_stack.h"

#define FOLD_NONE UINT32_MAX

/* Which of two runs: what is looked at, and what it is compared with. */
enum fold_run { FOLD_NEW, FOLD_OLD, FOLD_RUNS };

enum fold_kind {
	FOLD_FUNCTION,
	FOLD_ADDRESS, /* has no name: the function's is the address */
	FOLD_GROUP,   /* no code: a domain, a vCPU, [user], [no stack] */
	FOLD_INLINED, /* a function in the code of its caller, if request.page */
};

/* Samples, or periods, or ns: fold.unit. @total: with what was called from there. */
struct fold_weights {
	uint64_t self[FOLD_RUNS], total[FOLD_RUNS];
};

struct fold_node {
	uint32_t parent;   /* below the node's own number */
	uint32_t function; /* of node 0: FOLD_NONE */
	uint32_t kind;     /* enum fold_kind */
	uint32_t depth;    /* of node 0: 0 */
	uint32_t below;    /* so many nodes that follow are below this one */
	struct fold_weights w;
};

struct fold_vcpu {
	const char *domain; /* its label, the names' own; NULL: there is one domain only */
	uint32_t number;
};

/* What one vCPU has of a node's own weight. */
struct fold_stack {
	uint32_t node, vcpu;
	uint64_t weight[FOLD_RUNS];
};

struct fold {
	HASH_ARRAY(struct fold_node, nodes, n, by_caller);
	struct fold_weights *functions; /* by function: a stack counts once, however often it contains it */
	size_t nfunctions;              /* of the names */
	enum weight weight;
	enum unit unit;              /* of all weights here */
	uint64_t samples;            /* counted */
	uint64_t total[FOLD_RUNS];   /* what they weigh: the root's total */
	uint64_t whole[FOLD_RUNS];   /* what shares are of: @total, and what names left out if shares are absolute */
	bool compared;               /* there is an old run; its weights mean something */
	double effective[FOLD_RUNS]; /* so many independent samples of @whole tell as much: for the +- */
	uint64_t frames;             /* of all counted samples */
	uint64_t unnamed_frames;     /* those without a name */
	uint64_t unnamed;            /* different addresses without a name */

	/* If request.page; when sorted: by node and vCPU. */
	HASH_ARRAY(struct fold_stack, stacks, nstacks, by_stack);
	HASH_ARRAY(struct fold_vcpu, vcpus, nvcpus, by_vcpu);
	uint32_t *stack_of; /* by stack of the new run's profile: its number here; FOLD_NONE: it does not count */
	size_t nstack_of;
};

struct fold_request {
	const struct selection *selection; /* states, weight, group, relative, bottom_up */
	/* FOLD_OLD: the run to compare with; its profile NULL: none. */
	struct {
		const struct profile *profile;
		struct symbolizer *names;
		const struct upf_session *session;
	} run[FOLD_RUNS];
	bool page; /* inlined functions are nodes of their own, and vCPUs have weights of their own */
};

/* Are domains told apart: is it asked for, or has a run several? */
bool fold_tells_domains(const struct fold_request *request);
/* The stacks of one run; functions are of the new run's names, those of the old one, too. display_stacks_free(). */
struct display_stacks fold_stacks(const struct fold_request *request, enum fold_run run);
/* What the stack weighs, 0 if it does not count. */
static inline uint64_t fold_weight(const struct fold_request *request, const struct stack *s)
{
	return request->selection->states & 1u << s->state ? stack_weight(s, request->selection->weight) : 0;
}

/* 0, or a negative errno with nothing to free. */
int fold_make(struct fold *f, const struct fold_request *request);
void fold_free(struct fold *f);

enum fold_order {
	FOLD_BY_TOTAL,
	FOLD_BY_NAME,
	FOLD_BY_CHANGE, /* of the share of total, the largest first, whatever its sign */
};
/* Brings what a node called into order; equal ones by name. 0 or -ENOMEM. */
int fold_sort(struct fold *f, const struct symbolizer *names, enum fold_order order);

/* The share that a weight of this run is, of 1. */
double fold_share_of(const struct fold *f, enum fold_run run, uint64_t weight);
static inline double fold_share(const struct fold *f, uint64_t weight)
{
	return fold_share_of(f, FOLD_NEW, weight);
}
/* By how much it has changed. */
double fold_change(const struct fold *f, const uint64_t weight[FOLD_RUNS]);
uint64_t fold_largest_change_first(const struct fold *f, const uint64_t weight[FOLD_RUNS]); /* a key of radix_sort() */
/* Is it as large as @limit in one of the runs? */
bool fold_reaches(const struct fold *f, const uint64_t weight[FOLD_RUNS], double limit);
/* How far the share that @weight is may be off by chance, in 95 of 100 cases; of 1. */
double fold_error(const struct fold *f, uint64_t weight);
/* The same of the change: a smaller one may be chance alone. */
double fold_change_error(const struct fold *f, const uint64_t weight[FOLD_RUNS]);
/* What @old would be had the old run weighed as much as the new one. */
uint64_t fold_normal(const struct fold *f, uint64_t old);

#endif
