/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/block_stacks.h"
#include "report/unwind/sample_chain.h"

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

/* Finds the nearest caller that is mapped already, then maps from there to the leaf. */
static int map_path(struct block_stacks *b, const struct upf_node *nodes, uint32_t leaf)
{
	size_t n = 0;
	uint32_t node = leaf;

	while (b->map[node] == NOT_MAPPED) {
		if (n > UPF_DEPTH_MAX || nodes[node].parent >= node)
			return -EBADMSG;
		b->path[n++] = node;
		node = nodes[node].parent;
	}
	while (n > 0) {
		uint32_t parent = b->map[node];
		int rc;

		node = b->path[--n];
		rc = (b->alone ? calltree_append : calltree_child)(b->tree, parent, nodes[node].address, 0,
		                                                   &b->map[node]);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int map_stack(struct block_stacks *b, uint32_t leaf, uint32_t *node)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(b->decoder, &n);
	int rc = map_room(b, n);

	if (rc != 0)
		return rc;
	if (leaf >= n)
		return -EBADMSG;
	b->map[0] = 0;
	if (b->map[leaf] == NOT_MAPPED)
		rc = map_path(b, nodes, leaf);
	*node = b->map[leaf];
	return rc;
}

/* --- true stacks ------------------------------------------------------------------------------------------------- */

static int put_chain(struct block_stacks *b, const struct chain *c, uint32_t *node)
{
	int rc = 0;

	*node = 0;
	for (uint32_t i = c->n; rc == 0 && i-- > 0;)
		rc = calltree_child(b->tree, *node, c->frame[i].address, c->frame[i].flags, node);
	return rc;
}

static void chain_by_cfi(struct block_stacks *b, const struct upf_record *rec)
{
	if (b->cfi_lock)
		pthread_mutex_lock(b->cfi_lock);
	chain_of_sample(b->cfi, b->session, b->decoder, rec, &b->chain);
	if (b->cfi_lock)
		pthread_mutex_unlock(b->cfi_lock);
}

/* Finds the sample's true stack. */
static int make_true(struct block_stacks *b, const struct upf_record *rec, struct block_stack *s)
{
	if (b->cfi)
		chain_by_cfi(b, rec);
	else
		archive_stacks_chain(&b->archived, rec->stack, rec->top, &b->chain);
	s->end = b->chain.n ? b->chain.end : chain_end_of_frames(b->session, b->decoder, rec);
	s->restored = b->chain.restored;
	s->doubtful = b->chain.doubtful;
	return b->chain.n ? put_chain(b, &b->chain, &s->node) : map_stack(b, rec->stack, &s->node);
}

/* A stack with a top often repeats within a block: it is unwound once. */
static int true_stack(struct block_stacks *b, const struct upf_record *rec, const struct block_stack **seen)
{
	uint32_t hash, id;
	int rc = hash_table_reserve(&b->by_stack);

	if (rc == 0)
		rc = array_room(&b->seen, &b->seen_cap, b->nseen, sizeof(*b->seen));
	if (rc != 0)
		return rc;
	hash = hash_table_hash(&b->by_stack, rec->stack, rec->top);
	for (size_t at = hash_table_first(&b->by_stack, hash); hash_table_id(&b->by_stack, &at, hash, &id);
	     at = hash_table_next(&b->by_stack, at)) {
		*seen = &b->seen[id];
		if (b->seen[id].stack == rec->stack && b->seen[id].top == rec->top)
			return 0;
	}
	b->seen[b->nseen] = (struct block_stack){.stack = rec->stack, .top = rec->top};
	rc = make_true(b, rec, &b->seen[b->nseen]);
	*seen = &b->seen[b->nseen];
	if (rc == 0)
		hash_table_add(&b->by_stack, hash, (uint32_t)b->nseen++);
	return rc;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

void block_stacks_free(struct block_stacks *b)
{
	free(b->map);
	free(b->seen);
	hash_table_free(&b->by_stack);
	archive_stacks_free(&b->archived);
}

void block_stacks_start(struct block_stacks *b)
{
	b->mapped = 0;
	b->plain_domain = UINT32_MAX;
	b->nseen = 0;
	hash_table_clear(&b->by_stack);
}

/* Is the stack as it was recorded? Asked for every sample; all of a domain without tops are alike. */
static inline bool is_plain(struct block_stacks *b, const struct upf_record *rec)
{
	bool bare = rec->tops == UPF_TOPS_NONE && !rec->link && !rec->mode;

	if (bare && rec->domain == b->plain_domain)
		return true;
	if ((b->cfi || b->is_archive) && chain_may_differ(b->session, rec))
		return false;
	if (bare)
		b->plain_domain = rec->domain;
	return true;
}

int block_stacks_find(struct block_stacks *b, const struct upf_record *rec, struct block_stack *out)
{
	const struct block_stack *seen;
	int rc;

	if (!is_plain(b, rec)) {
		rc = true_stack(b, rec, &seen);
		if (rc == 0)
			*out = *seen;
		return rc;
	}
	*out = (struct block_stack){.stack = rec->stack, .end = rec->end};
	if (rec->tops == UPF_TOPS_COPY)
		out->end = chain_end_of_frames(b->session, b->decoder, rec);
	if (rec->stack < b->mapped && b->map[rec->stack] != NOT_MAPPED) {
		out->node = b->map[rec->stack]; /* nearly always */
		return 0;
	}
	return map_stack(b, rec->stack, &out->node);
}
