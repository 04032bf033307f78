/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_stacks.h - the stacks of one block, as nodes of the profile's call tree.
 *
 * Each node of the block's own tree is looked up in the call tree once, when its first sample comes; every later
 * sample of that stack costs one look into an array. A stack whose top or copy was kept is unwound once a block.
 */
#ifndef REPORT_PROFILE_BLOCK_STACKS_H
#define REPORT_PROFILE_BLOCK_STACKS_H

#include "report/archive/archive_stacks.h"
#include "report/input/binaries.h"
#include "report/profile/calltree.h"
#include "report/unwind/unwind.h"

#include <pthread.h>

/* A stack in the call tree, and why it ends. */
struct block_stack {
	uint32_t program, stack, top; /* of the block, in that program */
	uint32_t user;                /* 1: of a stack in user mode */
	uint32_t node;                /* of the call tree: its leaf */
	uint8_t end;
	bool restored, uncertain; /* as struct chain's */
	bool copied;              /* the loader's: frame pointers failed, so it was copied */
};

/* A node of the block's in the call tree, where it is the stack of a program other than the first. */
struct other_node {
	uint32_t program, node, mapped;
};

/* Zero-initialise but the first five, which must outlive it; block_stacks_free() at the end. */
struct block_stacks {
	struct calltree *tree;
	const struct upf_session *session;
	struct upf_decoder *decoder;     /* of the block */
	const struct binaries *binaries; /* CFI of programs makes stacks true; NULL: of none, and all are of one */
	const struct scope *scope;       /* tells whose a record is among all traces; NULL: there is one */
	pthread_mutex_t *cfi_lock;       /* NULL: nobody else uses the CFI */
	bool is_archive;                 /* without CFI: @archived has the true stacks */
	struct archive_stacks archived;
	/* Its stacks without a top, in that program, are as they were recorded; UINT32_MAX: none is known. */
	uint32_t plain_domain, plain_program;
	bool alone; /* the tree is of one block: its nodes are new, unless they are of chains */

	bool has_programs; /* more than one */
	struct cfi *cfi;   /* of the only one */
	uint32_t *map; /* the block's nodes in the call tree, as stacks of the first program; NOT_MAPPED until met */
	size_t mapped, cap;
	HASH_ARRAY(struct other_node, others, nothers, by_other);
	uint32_t path[UPF_DEPTH_MAX + 1];
	HASH_ARRAY(struct block_stack, seen, nseen, by_stack); /* of this block: what came out of a stack with a top */
	struct chain chain;
};

void block_stacks_free(struct block_stacks *b);
/* Another block comes: forgets the last one's stacks. */
void block_stacks_start(struct block_stacks *b);
/* The stack of @rec, which the decoder has just given out. 0, -ENOMEM, -EOVERFLOW; -EBADMSG: it breaks the format. */
int block_stacks_find(struct block_stacks *b, const struct upf_record *rec, struct block_stack *out);

#endif
