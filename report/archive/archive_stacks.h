/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * archive_stacks.h - the results of unwinding that an archive stores: the true stacks of the samples block that
 * follows (FORMAT.md, "Archives").
 */
#ifndef REPORT_ARCHIVE_ARCHIVE_STACKS_H
#define REPORT_ARCHIVE_ARCHIVE_STACKS_H

#include "common/array.h"
#include "common/hash_array.h"
#include "report/unwind/unwind.h"

/* --- reading --- */

struct archive_node;
struct archive_stack;

/* Of one samples block. Zero-initialise, archive_stacks_free() at the end. */
struct archive_stacks {
	bool by_program;   /* as the session is: set it first */
	uint64_t next_seq; /* of the samples block, if no further stacks come before it */
	unsigned blocks;
	struct archive_node *nodes;
	size_t nnodes, nodes_cap;
	HASH_ARRAY(struct archive_stack, stacks, nstacks, by_stack);
};

void archive_stacks_free(struct archive_stacks *s);
/* Adds a block of stacks. 0; -EBADMSG: it is damaged, and what precedes the damage was added; -ENOMEM. */
int archive_stacks_add(struct archive_stacks *s, const struct upf_block *b);
/* @b is the next samples block: drops stacks of other blocks. */
void archive_stacks_of(struct archive_stacks *s, const struct upf_block *b);
/* As chain_of_sample(), for the block's @stack with @top, in the archive's @program. */
void archive_stacks_chain(const struct archive_stacks *s, uint32_t program, uint32_t stack, uint32_t top,
                          struct chain *chain);

/* --- writing --- */

/* A payload being made. Zero-initialise, archive_stacks_end() at the end. */
struct archive_stacks_payload {
	bool by_program; /* as the session is: set it first */
	struct buf nodes, stacks;
	HASH_ARRAY(struct archive_node, of, n, by_parent);
	size_t nstacks;
	uint32_t last_stack, last_top;
};

/* 0; -ENOSPC: it is full; or -ENOMEM. A stack that is as it was recorded need not be added. */
int archive_stacks_put(struct archive_stacks_payload *p, uint32_t program, uint32_t stack, uint32_t top,
                       const struct chain *chain);
/* Appends the payload to @out, and empties it. 0 or -ENOMEM. */
int archive_stacks_finish(struct archive_stacks_payload *p, struct buf *out);
void archive_stacks_end(struct archive_stacks_payload *p);

#endif
