/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/block_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MAPPED UINT32_MAX

/* The map covers the first @n nodes afterwards. */
static int map_room(struct block_stacks *b, uint32_t n)
{
	int rc;

	if (n <= b->mapped)
		return 0;
	rc = array_room(&b->map, &b->cap, n, sizeof(*b->map));
	if (rc != 0)
		return rc;
	memset(b->map + b->mapped, 0xff, (n - b->mapped) * sizeof(*b->map));
	b->mapped = n;
	return 0;
}

static int find_other(struct block_stacks *b, uint32_t program, uint32_t node, uint32_t **found)
{
	uint32_t id;
	int rc = hash_array_add(&b->by_other, &id, node, &(struct other_node){program, node, NOT_MAPPED});

	if (rc == 0)
		*found = &b->others[id].mapped;
	return rc;
}

/* *found has room for where the block's @node is in the call tree. 0 or -ENOMEM. */
static inline int find_mapped(struct block_stacks *b, uint32_t program, uint32_t node, uint32_t **found)
{
	if (program != 0)
		return find_other(b, program, node, found);
	*found = &b->map[node];
	return 0;
}

/* Maps from the caller of the last node in the path, which is *node in the call tree, to the leaf: then that is. */
static int map_down(struct block_stacks *b, const struct upf_node *nodes, uint32_t program, size_t n, uint32_t *node)
{
	while (n > 0) {
		uint32_t own = b->path[--n], *mapped;
		int rc = (b->alone ? calltree_append : calltree_child)(b->tree, *node, nodes[own].address, 0, node);

		if (rc == 0)
			rc = find_mapped(b, program, own, &mapped);
		if (rc != 0)
			return rc;
		*mapped = *node;
	}
	return 0;
}

/* Finds the nearest caller that is mapped already, then maps from there to the leaf. */
static int map_path(struct block_stacks *b, const struct upf_node *nodes, uint32_t program, uint32_t leaf,
                    uint32_t *node)
{
	uint32_t own = leaf, *mapped;
	size_t n = 0;
	int rc;

	while ((rc = find_mapped(b, program, own, &mapped)) == 0 && *mapped == NOT_MAPPED) {
		if (n > UPF_DEPTH_MAX || nodes[own].parent >= own)
			return -EBADMSG;
		b->path[n++] = own;
		own = nodes[own].parent;
	}
	if (rc != 0)
		return rc;
	*node = *mapped;
	return map_down(b, nodes, program, n, node);
}

static int map_root(struct block_stacks *b, uint32_t program)
{
	uint32_t *mapped;
	int rc = find_other(b, program, 0, &mapped);

	return rc == 0 && *mapped == NOT_MAPPED ? calltree_program(b->tree, program, mapped) : rc;
}

/* An empty stack is of no program. */
static int map_stack(struct block_stacks *b, uint32_t program, uint32_t leaf, uint32_t *node)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(b->decoder, &n);
	int rc = map_room(b, n);

	if (rc == 0 && leaf >= n)
		rc = -EBADMSG;
	if (rc == 0 && program != 0)
		rc = map_root(b, program);
	*node = 0;
	if (rc != 0 || leaf == 0)
		return rc;
	b->map[0] = 0;
	return map_path(b, nodes, program, leaf, node);
}

/* --- true stacks ------------------------------------------------------------------------------------------------- */

static int put_program_chain(struct block_stacks *b, uint32_t program, const struct chain *c, uint32_t *node)
{
	int rc = calltree_program(b->tree, program, node);

	for (uint32_t i = c->n; rc == 0 && i-- > 0;)
		rc = calltree_child(b->tree, *node, c->frame[i].address, c->frame[i].flags, node);
	return rc;
}

static inline struct cfi *cfi_of(const struct block_stacks *b, uint32_t program)
{
	return b->has_programs ? b->binaries->programs[program].cfi : b->cfi;
}

static void chain_by_cfi(struct block_stacks *b, struct cfi *cfi, const struct upf_record *rec)
{
	if (b->cfi_lock)
		pthread_mutex_lock(b->cfi_lock);
	chain_of_sample(cfi, b->session, b->decoder, rec, &b->chain);
	if (b->cfi_lock)
		pthread_mutex_unlock(b->cfi_lock);
}

static void chain_by_archive(struct block_stacks *b, const struct upf_record *rec)
{
	const uint32_t program = upf_session_program(b->session, rec->domain, rec->time_ns);

	archive_stacks_chain(&b->archived, program, rec->stack, rec->top, &b->chain);
}

/* Finds the sample's true stack. */
static int make_true(struct block_stacks *b, const struct upf_record *rec, struct block_stack *s)
{
	struct cfi *cfi = cfi_of(b, s->program);

	if (cfi)
		chain_by_cfi(b, cfi, rec);
	else
		chain_by_archive(b, rec);
	s->end = b->chain.n ? b->chain.end : chain_end_of_frames(b->session, b->decoder, rec);
	s->restored = b->chain.restored;
	s->uncertain = b->chain.uncertain;
	return b->chain.n ? put_program_chain(b, s->program, &b->chain, &s->node)
	                  : map_stack(b, s->program, rec->stack, &s->node);
}

/* A stack with a top often repeats within a block: it is unwound once. */
static int true_stack(struct block_stacks *b, uint32_t program, const struct upf_record *rec,
                      const struct block_stack **seen)
{
	struct block_stack key = {.program = program, .stack = rec->stack, .top = rec->top, .user = rec->user};
	uint32_t id;
	int rc = 0;

	if (!hash_array_find(&b->by_stack, &id, user, &key)) {
		rc = make_true(b, rec, &key);
		if (rc == 0)
			rc = hash_array_add(&b->by_stack, &id, user, &key);
	}
	if (rc == 0)
		*seen = &b->seen[id];
	return rc;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

void block_stacks_free(struct block_stacks *b)
{
	free(b->map);
	hash_array_free(&b->by_other);
	hash_array_free(&b->by_stack);
	archive_stacks_free(&b->archived);
}

void block_stacks_start(struct block_stacks *b)
{
	b->has_programs = b->binaries && b->binaries->nprograms > 1;
	b->cfi = b->binaries && !b->has_programs ? b->binaries->programs[0].cfi : NULL;
	b->mapped = 0;
	b->plain_domain = UINT32_MAX;
	hash_array_clear(&b->by_other);
	hash_array_clear(&b->by_stack);
}

/* The number of the program that the record's domain ran. */
static inline uint32_t program_of(const struct block_stacks *b, const struct upf_record *rec)
{
	if (!b->has_programs)
		return 0;
	if (!b->scope)
		return binaries_program(b->binaries, rec->domain, rec->time_ns);
	return binaries_program(b->binaries, scope_domain(b->scope, rec->domain), rec->time_ns + b->scope->later_ns);
}

/* Is the stack as it was recorded? Asked for every sample; all of a domain without tops are alike. */
static inline bool is_plain(struct block_stacks *b, uint32_t program, const struct upf_record *rec)
{
	bool bare = rec->tops == UPF_TOPS_NONE && !rec->link && !rec->mode;

	if (bare && rec->domain == b->plain_domain && program == b->plain_program)
		return true;
	if ((b->is_archive || cfi_of(b, program)) && chain_may_differ(b->session, rec))
		return false;
	if (bare) {
		b->plain_domain = rec->domain;
		b->plain_program = program;
	}
	return true;
}

int block_stacks_find(struct block_stacks *b, const struct upf_record *rec, struct block_stack *out)
{
	uint32_t program = program_of(b, rec);
	const struct block_stack *seen;
	int rc;

	if (!is_plain(b, program, rec)) {
		rc = true_stack(b, program, rec, &seen);
		if (rc == 0)
			*out = *seen;
		return rc;
	}
	*out = (struct block_stack){.program = program, .stack = rec->stack, .end = rec->end};
	if (rec->tops == UPF_TOPS_COPY)
		out->end = chain_end_of_frames(b->session, b->decoder, rec);
	if (program == 0 && rec->stack < b->mapped && b->map[rec->stack] != NOT_MAPPED) {
		out->node = b->map[rec->stack]; /* nearly always */
		return 0;
	}
	return map_stack(b, program, rec->stack, &out->node);
}
