/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calltree.h - every stack of a trace as a path in one tree of addresses.
 *
 * Node 0 is the empty stack; every other node is its parent, the caller, with one frame more. A parent's number is
 * always below its child's, so one pass upwards or downwards over the array visits callers first or callees first.
 */
#ifndef REPORT_PROFILE_CALLTREE_H
#define REPORT_PROFILE_CALLTREE_H

#include "common/hash_table.h"

struct call_node {
	uint64_t address;
	uint32_t parent;
	uint8_t flags; /* FRAME_..., of unwind.h */
};

struct calltree {
	struct call_node *nodes;
	size_t n, cap;
	struct hash_table index;
};

int calltree_init(struct calltree *t);   /* 0 or -ENOMEM */
void calltree_clear(struct calltree *t); /* forgets all, keeps the room */
void calltree_free(struct calltree *t);
/* The node for @address called from @parent, made if it is new: 0 and *@node, or -ENOMEM, -EOVERFLOW. */
int calltree_child(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node);

#endif
