/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calltree.h - every stack of a trace as a path in one tree of addresses.
 *
 * Node 0 is the empty stack; every other node is its parent, the caller, with one frame more. A parent's number is
 * always below its child's, so one pass upwards or downwards over the array visits callers first or callees first.
 * Domains that ran different programs have nothing in common but node 0, whatever their addresses: so a node also
 * tells the program (struct program of program.h).
 */
#ifndef REPORT_PROFILE_CALLTREE_H
#define REPORT_PROFILE_CALLTREE_H

#include "common/hash_table.h"
#include "common/string_table.h"

struct call_node {
	uint64_t address;
	uint32_t parent;
	uint32_t flags : 4; /* FRAME_..., of unwind.h, or CALLTREE_... */
	uint32_t hash : 28; /* of the whole path: a child's comes from it and the child's address */
};

/* No frame: below it are the stacks of program number @address, above it is node 0. Program 0 has no such node. */
#define CALLTREE_PROGRAM 4u
/*
 * No frame of the guest's: what the host did while the guest waited. @address is the reason, enum upf_exit; its child's
 * CALLTREE_HOST or CALLTREE_VMM; below that one each is CALLTREE_FUNCTION and the number of one of the host's functions.
 */
#define CALLTREE_OUTSIDE 8u
enum { CALLTREE_HOST = 256, CALLTREE_VMM, CALLTREE_FUNCTION };

struct calltree {
	struct call_node *nodes;
	size_t n, cap;
	struct hash_table index;
	bool has_programs;        /* other than program 0 */
	struct strings functions; /* the host's */
	size_t function_bytes;    /* of their names */
};

int calltree_init(struct calltree *t);   /* 0 or -ENOMEM */
void calltree_clear(struct calltree *t); /* forgets all, keeps the room */
void calltree_free(struct calltree *t);
/* The node for @address called from @parent, made if it is new: 0 and *@node, or -ENOMEM, -EOVERFLOW. */
int calltree_child(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node);
/* The same without a look: for a caller who knows that it is new, or does not mind to have it twice. */
int calltree_append(struct calltree *t, uint32_t parent, uint64_t address, uint8_t flags, uint32_t *node);
/* The node below which the stacks of @program begin; as calltree_child(). */
int calltree_program(struct calltree *t, uint32_t program, uint32_t *node);
/* The number of the host's function @name. As calltree_child(). */
int calltree_function(struct calltree *t, const char *name, uint32_t *function);
/* The program whose code the stack at @node is of. */
uint32_t calltree_program_of(const struct calltree *t, uint32_t node);
/*
 * The node here that each of @part's is, made if it is new: to @map, which has room for part->n. 0, -ENOMEM or
 * -EOVERFLOW.
 */
int calltree_map(struct calltree *t, const struct calltree *part, uint32_t *map);

#endif
