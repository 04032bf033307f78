/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/archive/archive_stacks.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdlib.h>

#define BLOCKS_MAX 64 /* before one samples block: memory is bounded whatever the file says */
#define RESTORED 1u
#define UNCERTAIN 2u
#define NODE_BYTES (2 * VARINT_MAX + 1) /* at most */
#define STACK_BYTES (4 * VARINT_MAX + 2)

struct archive_node {
	uint64_t address;
	uint32_t parent; /* 0: none. Numbers are from 1 */
	uint16_t flags;  /* FRAME_... */
	uint16_t depth;
};

struct archive_stack {
	uint32_t program, stack, top, node;
	uint8_t end, bits;
};

/* --- reading ----------------------------------------------------------------------------------------------------- */

void archive_stacks_free(struct archive_stacks *s)
{
	free(s->nodes);
	hash_array_free(&s->by_stack);
	*s = (struct archive_stacks){0};
}

static void forget_archive(struct archive_stacks *s)
{
	s->blocks = 0;
	s->nnodes = 0;
	hash_array_clear(&s->by_stack);
}

/* One node; those of this payload are numbered from @base + 1 on. */
static int get_node(struct archive_stacks *s, struct cursor *c, size_t base)
{
	uint64_t back = get_varint(c);
	struct archive_node node = {.depth = 1};

	node.address = (uint64_t)get_zigzag(c);
	node.flags = get_u8(c) & (FRAME_RESTORED | FRAME_EXACT);
	if (c->bad || back == 0 || back > s->nnodes - base + 1)
		return -EBADMSG;
	node.parent = back <= s->nnodes - base ? (uint32_t)(s->nnodes + 1 - back) : 0;
	if (node.parent) {
		node.address += s->nodes[node.parent - 1].address;
		node.depth = (uint16_t)(s->nodes[node.parent - 1].depth + 1);
	}
	if (node.depth > UPF_DEPTH_MAX + 1)
		return -EBADMSG;
	return array_add(s->nodes, s->nodes_cap, s->nnodes, node);
}

static int keep_archive_stack(struct archive_stacks *s, const struct archive_stack *stack)
{
	uint32_t id;

	return hash_array_find(&s->by_stack, &id, top, stack) ? -EBADMSG
	                                                      : hash_array_add(&s->by_stack, &id, top, stack);
}

/* The stack behind @last. */
static int get_archive_stack(struct archive_stacks *s, struct cursor *c, size_t base, struct archive_stack *last)
{
	uint64_t program, node;

	program = s->by_program ? get_varint(c) : 0;
	last->program = (uint32_t)program;
	last->stack += (uint32_t)get_zigzag(c);
	last->top += (uint32_t)get_zigzag(c);
	node = get_varint(c);
	last->end = get_u8(c);
	last->bits = get_u8(c);
	if (c->bad || program > UINT32_MAX || node > s->nnodes - base)
		return -EBADMSG;
	last->node = node ? (uint32_t)(base + node) : 0;
	return keep_archive_stack(s, last);
}

int archive_stacks_add(struct archive_stacks *s, const struct upf_block *b)
{
	struct cursor c = cursor_of(b->payload, b->raw_size);
	struct archive_stack last = {0};
	uint64_t n = get_varint(&c);
	size_t base;
	int rc = 0;

	if (b->seq != s->next_seq)
		forget_archive(s);
	s->next_seq = b->seq + 1;
	if (s->blocks++ >= BLOCKS_MAX)
		return -EBADMSG;
	base = s->nnodes;
	for (; rc == 0 && n > 0; n--)
		rc = get_node(s, &c, base);
	while (rc == 0 && cursor_left(&c))
		rc = get_archive_stack(s, &c, base, &last);
	return rc == 0 && c.bad ? -EBADMSG : rc;
}

void archive_stacks_of(struct archive_stacks *s, const struct upf_block *b)
{
	if (b->seq != s->next_seq)
		forget_archive(s);
	s->next_seq = b->seq; /* no later block has it */
}

void archive_stacks_chain(const struct archive_stacks *s, uint32_t program, uint32_t stack, uint32_t top,
                          struct chain *chain)
{
	const struct archive_stack key = {.program = program, .stack = stack, .top = top};
	uint32_t id;
	const struct archive_stack *found = hash_array_find(&s->by_stack, &id, top, &key) ? &s->stacks[id] : NULL;

	chain->n = 0;
	chain->restored = found && (found->bits & RESTORED);
	chain->uncertain = found && (found->bits & UNCERTAIN);
	if (!found)
		return;
	chain->end = found->end;
	for (uint32_t node = found->node; node; node = s->nodes[node - 1].parent) {
		chain->frame[chain->n].address = s->nodes[node - 1].address;
		chain->frame[chain->n++].flags = s->nodes[node - 1].flags;
	}
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static int put_node(struct archive_stacks_payload *p, uint32_t parent, uint64_t address, uint8_t flags)
{
	uint8_t bytes[NODE_BYTES];
	size_t n = put_varint(bytes, p->n + 1 - parent);

	n += put_varint(bytes + n, zigzag((int64_t)(address - (parent ? p->of[parent - 1].address : 0))));
	bytes[n++] = flags;
	return buf_add(&p->nodes, bytes, n);
}

/* The number of the node below @parent. */
static int node_below(struct archive_stacks_payload *p, uint32_t parent, uint64_t address, uint8_t flags,
                      uint32_t *node)
{
	const struct archive_node key = {address, parent, flags, 0};
	uint32_t id;
	int rc = 0;

	if (!hash_array_find(&p->by_parent, &id, flags, &key)) {
		rc = put_node(p, parent, address, flags);
		if (rc == 0)
			rc = hash_array_add(&p->by_parent, &id, flags, &key);
	}
	if (rc == 0)
		*node = id + 1;
	return rc;
}

int archive_stacks_put(struct archive_stacks_payload *p, uint32_t program, uint32_t stack, uint32_t top,
                       const struct chain *chain)
{
	uint8_t bytes[STACK_BYTES];
	uint32_t node = 0;
	size_t n = 0;
	int rc = 0;

	if (p->nodes.len + p->stacks.len + chain->n * NODE_BYTES + STACK_BYTES + VARINT_MAX > UPF_RAW_MAX)
		return -ENOSPC;
	for (uint32_t i = chain->n; rc == 0 && i-- > 0;)
		rc = node_below(p, node, chain->frame[i].address, chain->frame[i].flags, &node);
	if (rc != 0)
		return rc;
	if (p->by_program)
		n = put_varint(bytes, program);
	n += put_varint(bytes + n, zigzag((int64_t)stack - p->last_stack));
	n += put_varint(bytes + n, zigzag((int64_t)top - p->last_top));
	n += put_varint(bytes + n, node);
	bytes[n++] = chain->n ? chain->end : 0;
	bytes[n++] = (uint8_t)((chain->restored ? RESTORED : 0) | (chain->uncertain ? UNCERTAIN : 0));
	p->last_stack = stack;
	p->last_top = top;
	p->nstacks++;
	return buf_add(&p->stacks, bytes, n);
}

int archive_stacks_finish(struct archive_stacks_payload *p, struct buf *out)
{
	uint8_t bytes[VARINT_MAX];

	buf_add(out, bytes, put_varint(bytes, p->n));
	buf_add(out, p->nodes.data, p->nodes.len);
	buf_add(out, p->stacks.data, p->stacks.len);
	p->nodes.len = p->stacks.len = 0;
	p->nstacks = 0;
	p->last_stack = p->last_top = 0;
	hash_array_clear(&p->by_parent);
	return out->failed ? -ENOMEM : 0;
}

void archive_stacks_end(struct archive_stacks_payload *p)
{
	buf_free(&p->nodes);
	buf_free(&p->stacks);
	hash_array_free(&p->by_parent);
}
