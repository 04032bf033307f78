/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/write/stack_writer.h"

#include <errno.h>
#include <stdlib.h>

#define CHAIN_BITS 13

int stack_writer_init(struct stack_writer *w)
{
	w->nodes = calloc(STACK_NODES_MAX, sizeof(*w->nodes));
	return w->nodes ? hash_chains_init(&w->by_frame, CHAIN_BITS) : -ENOMEM;
}

void stack_writer_free(struct stack_writer *w)
{
	free(w->nodes);
	hash_chains_free(&w->by_frame);
}

void stack_writer_reset(struct stack_writer *w)
{
	hash_chains_clear(&w->by_frame);
	w->nodes[0] = (struct stack_node){0};
	w->nnodes = 1;
	w->nstacks = w->branches = w->run = 0;
}

bool stack_writer_has_room(const struct stack_writer *w, size_t frames)
{
	return STACK_NODES_MAX - w->nnodes >= frames;
}

static uint32_t *node_chain(const struct stack_writer *w, uint32_t parent, uint64_t address)
{
	uint64_t h = (address + parent * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

	return hash_chain(&w->by_frame, h);
}

static uint32_t find_node(const struct stack_writer *w, uint32_t parent, uint64_t address)
{
	uint32_t i = w->nodes[parent].child;

	if (i && w->nodes[i].address == address)
		return i;
	i = *node_chain(w, parent, address);
	while (i && (w->nodes[i].address != address || w->nodes[i].parent != parent))
		i = w->nodes[i].next;
	return i;
}

/* A frame differs least from the callee its caller had last, otherwise from its caller. */
static uint32_t write_node(struct stack_writer *w, struct column_writer *columns, bool leaf, uint32_t parent,
                           uint64_t address)
{
	uint32_t *head = node_chain(w, parent, address), i = w->nnodes++;
	uint32_t near = w->nodes[parent].child ? w->nodes[parent].child : parent;

	add_zigzag(columns, leaf && near != parent ? COLUMN_LEAF : COLUMN_FRAME, address - w->nodes[near].address);
	w->nodes[i] = (struct stack_node){.address = address, .parent = parent, .next = *head};
	w->nodes[parent].child = *head = i;
	return i;
}

/* Where a new stack leaves those there are. */
static void encode_branch(struct stack_writer *w, struct column_writer *columns, uint32_t node)
{
	add_varint(columns, COLUMN_BRANCH, w->nodes[node].branch);
	if (w->nodes[node].branch)
		return;
	add_varint(columns, COLUMN_PARENT, w->nnodes - 1 - node);
	w->nodes[node].branch = ++w->branches;
}

/* Is the node @leaf this stack's? */
static bool is_stack(const struct stack_writer *w, uint32_t leaf, const struct upf_sample *s)
{
	uint32_t node = leaf;

	for (uint32_t i = 0; i < s->depth; i++) {
		if (node == 0 || w->nodes[node].address != s->frames[i])
			return false;
		node = w->nodes[node].parent;
	}
	return node == 0;
}

/* Where the leaf's node of this stack is remembered: mostly it is another's, or the one of a block before. */
static uint32_t *recent(struct stack_writer *w, const struct upf_sample *s)
{
	uint64_t h = s->depth;

	for (uint32_t i = 0; i < s->depth; i++)
		h = (h ^ s->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return &w->recent[h >> (64 - STACK_RECENT_BITS)];
}

static void encode_known(struct stack_writer *w, struct column_writer *columns, const struct upf_sample *s,
                         uint32_t node)
{
	add_varint(columns, s->state == UPF_RUNNING ? COLUMN_STACK : COLUMN_REST, w->nodes[node].stack - 1);
	w->run++;
}

uint32_t stack_writer_put(struct stack_writer *w, struct column_writer *columns, const struct upf_sample *s)
{
	uint32_t *leaf = recent(w, s), node = 0, callee, left = s->depth;

	if (*leaf < w->nnodes && w->nodes[*leaf].stack && is_stack(w, *leaf, s)) {
		encode_known(w, columns, s, *leaf);
		return *leaf;
	}
	for (; left && (callee = find_node(w, node, s->frames[left - 1])) != 0; left--)
		node = callee;
	if (left == 0 && w->nodes[node].stack) {
		encode_known(w, columns, s, node);
		return *leaf = node;
	}
	add_varint(columns, COLUMN_RUN, w->run);
	w->run = 0;
	encode_branch(w, columns, node);
	add_varint(columns, COLUMN_PUSH, left);
	for (; left; left--)
		node = write_node(w, columns, left == 1, node, s->frames[left - 1]);
	w->nodes[node].stack = ++w->nstacks;
	return *leaf = node;
}
