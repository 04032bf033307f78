/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.h - the stacks of a profile as one tree of frames by name: what flame graphs, on pages and as pictures, are drawn
 * from. A second profile may be put beside the first, to be compared with it.
 *
 * Of a session with several domains each domain is a frame below the root; stacks of user mode stand below [user].
 */
#ifndef REPORT_PAGE_FLAME_H
#define REPORT_PAGE_FLAME_H

#include "report/callchain.h"

#define FLAME_NONE UINT32_MAX

/* Which of two profiles: what is looked at, and what it is compared with. */
enum { FLAME_NOW, FLAME_BASE, FLAME_PROFILES };

enum flame_kind {
	FLAME_FUNCTION,
	FLAME_ADDRESS, /* has no name: the text is the address */
	FLAME_GROUP,   /* a domain, [user], [no stack] */
};

struct flame_name {
	const char *text; /* safe, the names' own: they must outlive it */
	uint8_t kind;     /* enum flame_kind */
};

struct flame_node {
	uint32_t name; /* of node 0: FLAME_NONE */
	uint32_t parent, child, sibling; /* FLAME_NONE: no more */
	uint64_t total[FLAME_PROFILES], self[FLAME_PROFILES]; /* samples */
};

struct flame_vcpu {
	const char *domain; /* its label, the names' own; NULL: there is one domain only */
	uint32_t number;
};

/* A stack of one vCPU. */
struct flame_stack {
	uint32_t node; /* its leaf */
	uint32_t vcpu;
	uint64_t samples[FLAME_PROFILES];
};

/* Zero-initialise, flame_free() at the end. */
struct flame {
	struct flame_name *names;
	size_t nnames, names_cap;
	struct intern by_name;
	struct flame_node *nodes; /* after flame_finish(): depth first, and siblings by name */
	size_t nnodes, nodes_cap;
	struct intern by_node;
	struct flame_vcpu *vcpus;
	size_t nvcpus, vcpus_cap;
	struct intern by_vcpu;
	struct flame_stack *stacks; /* after flame_finish(): by node and vCPU */
	size_t nstacks, stacks_cap;
	struct intern by_stack;
	uint64_t samples[FLAME_PROFILES];
	bool has_base;
};

/* A profile and what its addresses are called. */
struct flame_source {
	const struct profile *profile;
	struct names *names;
	const struct upf_session *session;
	unsigned states; /* STATES_...: samples that count */
};

/*
 * Adds a profile's stacks as FLAME_NOW or FLAME_BASE; any number of them. @stack_of, NULL or one for each of the profile's
 * stacks, gets their numbers here, FLAME_NONE for those that do not count. 0 or a negative errno.
 */
int flame_add(struct flame *f, const struct flame_source *source, unsigned which, uint32_t *stack_of);
/*
 * Brings all into order and sums it up; nothing may be added afterwards. @moved: NULL, or gets each stack's new number,
 * for f->nstacks of them. 0 or -ENOMEM.
 */
int flame_finish(struct flame *f, uint32_t *moved);
void flame_free(struct flame *f);

#endif
