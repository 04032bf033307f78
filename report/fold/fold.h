/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fold.h - all stacks folded into one tree of functions: frames of one function under one caller are one node.
 *
 * Stacks come from display_stack.h: filtered, below their domain and vCPU if those are told apart, and below [user].
 * For a comparison the tree has the weights of both runs; what is in one run only has the weight 0 in the other.
 */
#ifndef REPORT_FOLD_FOLD_H
#define REPORT_FOLD_FOLD_H

#include "report/symbols/symbolizer.h"
#include "report/profile/profile.h"
#include "report/input/selection.h"

#define FOLD_NONE UINT32_MAX

struct fold_node {
	uint32_t function;            /* of node 0: FOLD_NONE */
	uint32_t parent;              /* below the node's own number */
	uint32_t child, sibling;      /* FOLD_NONE: no more; in the order of fold_sort() */
	uint64_t self, total;         /* samples, or ns of CPU time: request.weight */
	uint64_t old_self, old_total; /* of the run compared with */
};

struct fold_function {
	uint64_t self, old_self;
	uint64_t total, old_total; /* a stack counts once, however often it contains the function */
};

struct fold {
	HASH_ARRAY(struct fold_node, nodes, n, by_parent);
	struct fold_function *functions; /* names->nfunctions of them */
	size_t nfunctions;
	enum weight weight;
	enum unit unit;            /* of all weights here */
	uint64_t samples;          /* counted */
	uint64_t total, old_total; /* what they weigh: the root's total */
	uint64_t whole, old_whole; /* what shares are of: @total, and what names left out if shares are absolute */
	bool compared;             /* there is an old run; its weights mean something */
	double effective,
		old_effective;   /* so many independent samples of @whole, @old_whole tell as much: for the +- */
	uint64_t frames;         /* of all counted samples */
	uint64_t unnamed_frames; /* those without a name */
	uint64_t unnamed;        /* different addresses without a name */
};

struct fold_request {
	unsigned states; /* STATES_... */
	const struct upf_session *session;
	const struct selection *selection; /* weight, group, relative; NULL: samples, by need, absolute */
	/* The run to compare with; NULL: none. Its names may be @names. */
	const struct profile *old;
	struct symbolizer *old_names;
	const struct upf_session *old_session;
};

/* Are domains told apart: is it asked for, or has a run several? */
bool fold_tells_domains(const struct fold_request *request);
/* 0, or a negative errno with nothing to free. Functions are of @names, those of the old run, too. */
int fold_make(struct fold *f, const struct profile *p, struct symbolizer *names, const struct fold_request *request);
void fold_free(struct fold *f);

enum fold_order {
	FOLD_BY_TOTAL,
	FOLD_BY_NAME,
	FOLD_BY_CHANGE, /* of the share of total, the largest first, whatever its sign */
};
/* Brings all children into order; equal ones by name. 0 or -ENOMEM. */
int fold_sort(struct fold *f, const struct symbolizer *names, enum fold_order order);

uint64_t fold_largest_first(double share); /* as a key of radix_sort() */

/* The share that @weight is, and the one that @old was, of 1. */
double fold_share(const struct fold *f, uint64_t weight);
double fold_old_share(const struct fold *f, uint64_t old);
/* How far the share that @weight is may be off by chance, in 95 of 100 cases; of 1. */
double fold_error(const struct fold *f, uint64_t weight);
/* The same of the change from the share that @old was to that of @weight: a smaller one may be chance alone. */
double fold_change_error(const struct fold *f, uint64_t old, uint64_t weight);
bool fold_is_noise(const struct fold *f, uint64_t old, uint64_t weight);
/* What @old would be had the old run weighed as much as the new one. */
uint64_t fold_normal(const struct fold *f, uint64_t old);

#endif
