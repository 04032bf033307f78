/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.h - the data of a flame graph: the stacks of a run merged by name into one tree of frames, with the weight of
 * each vCPU. In a comparison each stack has a second weight, of the old run.
 */
#ifndef REPORT_PAGE_FLAME_H
#define REPORT_PAGE_FLAME_H

#include "common/hash_array.h"
#include "report/fold/display_stack.h"

#define FLAME_NONE UINT32_MAX

/* Which of two runs: what is looked at, and what it is compared with. */
enum { FLAME_NEW, FLAME_OLD, FLAME_RUNS };

enum flame_kind {
	FLAME_FUNCTION,
	FLAME_ADDRESS, /* has no name: the text is the address */
	FLAME_GROUP,   /* no code: a domain, a vCPU, [user], [no stack] */
	FLAME_INLINED, /* a function in the code of its caller */
};

struct flame_name {
	uint32_t function;
	uint32_t kind;    /* enum flame_kind */
	const char *text; /* safe, the names' own: they must outlive it */
};

struct flame_node {
	uint32_t name;                                /* of node 0: FLAME_NONE */
	uint32_t parent, child, sibling;              /* FLAME_NONE: no more */
	uint64_t total[FLAME_RUNS], self[FLAME_RUNS]; /* samples, or ns of CPU time */
};

struct flame_vcpu {
	const char *domain; /* its label, the names' own; NULL: there is one domain only */
	uint32_t number;
};

/* A stack of one vCPU. */
struct flame_stack {
	uint32_t node; /* its leaf */
	uint32_t vcpu;
	uint64_t weight[FLAME_RUNS];
};

/* Zero-initialise, flame_free() at the end. */
struct flame {
	HASH_ARRAY(struct flame_name, names, nnames, by_name);
	HASH_ARRAY(struct flame_node, nodes, nnodes, by_node); /* when finished: depth first, siblings by name */
	HASH_ARRAY(struct flame_vcpu, vcpus, nvcpus, by_vcpu);
	HASH_ARRAY(struct flame_stack, stacks, nstacks, by_stack); /* when finished: by node and vCPU */
	bool compared;
};

/*
 * Adds a run's stacks in these run states, as FLAME_NEW or FLAME_OLD; frees @stacks. @stack_of, NULL or one for each
 * of the profile's stacks, gets their numbers here, FLAME_NONE for those that do not count. 0 or a negative errno.
 */
int flame_add(struct flame *f, struct display_stacks *stacks, unsigned states, enum weight weight, unsigned run,
              uint32_t *stack_of);
/*
 * Brings all into order and sums it up; @names: those common to all stacks. Nothing may be added afterwards. @moved:
 * NULL, or gets each stack's new number, for f->nstacks of them. 0 or -ENOMEM.
 */
int flame_finish(struct flame *f, const struct symbolizer *names, uint32_t *moved);
void flame_free(struct flame *f);

#endif
