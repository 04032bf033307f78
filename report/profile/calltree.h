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
	uint32_t flags : 2; /* FRAME_..., of unwind.h */
	uint32_t hash : 30; /* of the whole path: a child's comes from it and the child's address */
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
/* The same without a look: for a caller who knows that it is new, or does not mind to have it twice. */
int calltree_append(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node);
/*
 * The node here that each of @part's is, made if it is new: to @map, which has room for part->n. 0, -ENOMEM or
 * -EOVERFLOW.
 */
int calltree_map(struct calltree *t, const struct calltree *part, uint32_t *map);

#endif
