/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fold.h - the tree of addresses folded into a tree of functions: frames of one function under one caller are one node.
 *
 * Of a session with several domains each domain is a node below the root.
 */
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "report/names.h"
#include "report/profile.h"

#define FOLD_NONE UINT32_MAX

struct fold_node {
	uint32_t function; /* of node 0: FOLD_NONE */
	uint32_t parent;   /* below the node's own number */
	uint32_t child, sibling; /* FOLD_NONE: no more; in the order of fold_sort() */
	uint64_t self, total;    /* samples */
};

struct fold_function {
	uint64_t self;
	uint64_t total; /* a stack counts once, however often the function stands in it */
};

struct fold {
	struct fold_node *nodes;
	size_t n, cap;
	struct intern index;
	struct fold_function *functions; /* names->nfunctions of them */
	size_t nfunctions;
	uint64_t samples;
	uint64_t frames;         /* of all counted samples */
	uint64_t unnamed_frames; /* those without a name */
	uint64_t unnamed;        /* different addresses without a name */
};

struct fold_request {
	unsigned states; /* STATES_... */
	const struct upf_session *session;
};

/* 0, or a negative errno with nothing to free. */
int fold_make(struct fold *f, const struct profile *p, struct names *names, const struct fold_request *request);
void fold_free(struct fold *f);

enum fold_order { FOLD_BY_TOTAL, FOLD_BY_NAME };
/* Brings all children into order; equal ones by name. 0 or -ENOMEM. */
int fold_sort(struct fold *f, const struct names *names, enum fold_order order);

/* What a domain is called where there are several. */
void fold_domain_name(const struct upf_session *session, uint32_t domain, char *text, size_t size);
/* Whether a frame of a user mode's stack is left out, [user] standing for it. */
bool fold_hides(const struct names *names, uint64_t address, uint32_t function);

#endif
