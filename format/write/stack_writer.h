/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_writer.h - writes the stacks of a block (FORMAT.md, "Stacks").
 *
 * They are a tree. A frame is searched among the callees of its caller, so that each one is written only once in a
 * block. A stack that the block has already is mostly found as a whole, by its hash.
 */
#ifndef FORMAT_WRITE_STACK_WRITER_H
#define FORMAT_WRITE_STACK_WRITER_H

#include "common/hash_chains.h"
#include "format/samples/columns.h"
#include "format/upf.h"

#define STACK_NODES_MAX 65536 /* of a block */
#define STACK_RECENT_BITS 12

struct stack_node {
	uint64_t address;
	uint32_t parent, next; /* next: in its chain of by_frame */
	uint32_t child;        /* the callee defined last, 0: none */
	uint32_t stack;        /* number of the stack that ends here, from 1, 0: none */
	uint32_t branch;       /* its number among those, from 1, 0: none */
};

struct stack_writer {
	struct stack_node *nodes; /* 0: the empty stack */
	struct hash_chains by_frame;
	uint32_t nnodes, nstacks;
	uint32_t branches; /* nodes that stacks have branched off from */
	uint32_t run;      /* stacks since the last new one */
	/* By a stack's hash: its leaf's node, perhaps, or one of a block before. */
	uint32_t recent[1 << STACK_RECENT_BITS];
};

/* @w is zero. 0 or -ENOMEM; stack_writer_free() anyway. */
int stack_writer_init(struct stack_writer *w);
void stack_writer_free(struct stack_writer *w);
void stack_writer_reset(struct stack_writer *w); /* a new block */
/* Can the block have so many frames more? */
bool stack_writer_has_room(const struct stack_writer *w, size_t frames);
/* Writes the sample's stack; there is room. The leaf's node. */
uint32_t stack_writer_put(struct stack_writer *w, struct column_writer *columns, const struct upf_sample *s);

#endif
