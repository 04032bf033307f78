/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/load.h"
#include "report/unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MAPPED UINT32_MAX

struct loader {
	struct profile *profile;
	const struct scope *scope;
	const struct load_hooks *hooks;
	struct upf_decoder *decoder;
	uint32_t *map; /* the block's nodes in the profile's tree, NOT_MAPPED until met */
	size_t mapped, cap;
	uint32_t path[UPF_DEPTH_MAX + 1];
	const struct upf_session *session;

	struct rows *rows; /* NULL: stacks stay as recorded */
	struct seen_stack *seen; /* of this block: what came out of a stack with a top */
	size_t nseen, seen_cap;
	struct intern by_stack;
	struct chain chain;
};

struct seen_stack {
	uint32_t stack, top, node;
	uint8_t end;
	bool restored, doubtful;
};

/* The map covers the first @n nodes afterwards. */
static int map_room(struct loader *l, uint32_t n)
{
	int rc;

	if (n <= l->mapped)
		return 0;
	rc = array_room(&l->map, &l->cap, n, sizeof(*l->map));
	if (rc != 0)
		return rc;
	memset(l->map + l->mapped, 0xff, (n - l->mapped) * sizeof(*l->map));
	l->mapped = n;
	return 0;
}

/* Finds the nearest caller that is mapped already, then maps from there to the leaf. */
static int map_path(struct loader *l, const struct upf_node *nodes, uint32_t leaf)
{
	size_t n = 0;
	uint32_t node = leaf;

	while (l->map[node] == NOT_MAPPED) {
		if (n > UPF_DEPTH_MAX || nodes[node].parent >= node)
			return -EBADMSG;
		l->path[n++] = node;
		node = nodes[node].parent;
	}
	while (n > 0) {
		uint32_t parent = l->map[node];
		int rc;

		node = l->path[--n];
		rc = calltree_child(&l->profile->tree, parent, nodes[node].address, 0, &l->map[node]);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int map_stack(struct loader *l, uint32_t leaf, uint32_t *node)
{
	uint32_t n;
	const struct upf_node *nodes = upf_decoder_nodes(l->decoder, &n);
	int rc = map_room(l, n);

	if (rc != 0)
		return rc;
	if (leaf >= n)
		return -EBADMSG;
	l->map[0] = 0;
	if (l->map[leaf] == NOT_MAPPED)
		rc = map_path(l, nodes, leaf);
	*node = l->map[leaf];
	return rc;
}

/* --- true stacks ----------------------------------------------------------------------------------------------------- */

/* The frames of the block's stack that ends in @leaf, leaf first. */
static uint32_t frames_of(struct loader *l, uint32_t leaf, uint64_t *frames)
{
	uint32_t all, n = 0;
	const struct upf_node *nodes = upf_decoder_nodes(l->decoder, &all);

	for (; leaf != 0 && leaf < all && n < UPF_DEPTH_MAX; leaf = nodes[leaf].parent)
		frames[n++] = nodes[leaf].address;
	return n;
}

static int put_chain(struct loader *l, const struct chain *c, uint32_t *node)
{
	int rc = 0;

	*node = 0;
	for (uint32_t i = c->n; rc == 0 && i-- > 0;)
		rc = calltree_child(&l->profile->tree, *node, c->frame[i].address, c->frame[i].flags, node);
	return rc;
}

/* Rows are known for one architecture alone. */
static bool has_rows(const struct loader *l, const struct upf_record *rec)
{
	return l->rows && rec->tops != UPF_TOPS_NONE &&
	       (rec->domain >= l->session->ndomains || l->session->domains[rec->domain].arch == UPF_ARCH_X86_64);
}

/* What the sample's stack is in truth. */
static int make_true(struct loader *l, const struct upf_record *rec, struct seen_stack *s)
{
	const struct upf_domain *domain = rec->domain < l->session->ndomains ? &l->session->domains[rec->domain] : NULL;
	bool pv = !domain || domain->kind <= UPF_KIND_PV;
	uint64_t frames[UPF_DEPTH_MAX];
	uint32_t depth = frames_of(l, rec->stack, frames);

	l->chain.n = 0;
	l->chain.restored = l->chain.doubtful = false;
	if (rec->tops == UPF_TOPS_COPY && depth)
		unwind_copy(l->rows, rec, frames[0], pv, &l->chain);
	else if (rec->tops == UPF_TOPS_WINDOW)
		repair_chain(l->rows, rec, frames, depth, pv, &l->chain);
	s->end = l->chain.n ? l->chain.end : rec->end;
	s->restored = l->chain.restored;
	s->doubtful = l->chain.doubtful;
	return l->chain.n ? put_chain(l, &l->chain, &s->node) : map_stack(l, rec->stack, &s->node);
}

/* A stack with a top comes again and again in a block: it is looked at once. */
static int true_stack(struct loader *l, const struct upf_record *rec, const struct seen_stack **seen)
{
	uint32_t hash, id;
	int rc = intern_reserve(&l->by_stack);

	if (rc == 0)
		rc = array_room(&l->seen, &l->seen_cap, l->nseen, sizeof(*l->seen));
	if (rc != 0)
		return rc;
	hash = intern_hash(&l->by_stack, rec->stack, rec->top);
	for (size_t at = intern_first(&l->by_stack, hash); intern_id(&l->by_stack, &at, hash, &id);
	     at = intern_next(&l->by_stack, at)) {
		*seen = &l->seen[id];
		if (l->seen[id].stack == rec->stack && l->seen[id].top == rec->top)
			return 0;
	}
	l->seen[l->nseen] = (struct seen_stack){.stack = rec->stack, .top = rec->top};
	rc = make_true(l, rec, &l->seen[l->nseen]);
	*seen = &l->seen[l->nseen];
	if (rc == 0)
		intern_add(&l->by_stack, hash, (uint32_t)l->nseen++);
	return rc;
}

/* --- records --------------------------------------------------------------------------------------------------------- */

static int stack_of(struct loader *l, struct upf_record *rec, uint32_t *node, const struct seen_stack **seen)
{
	int rc;

	*seen = NULL;
	if (!has_rows(l, rec))
		return map_stack(l, rec->stack, node);
	rc = true_stack(l, rec, seen);
	if (rc == 0) {
		*node = (*seen)->node;
		rec->end = (*seen)->end;
	}
	return rc;
}

/* 1: it counts; 0: it is left out by name. */
static int load_sample(struct loader *l, struct upf_record *rec, uint32_t *node)
{
	struct tally *t = &l->profile->tally;
	const struct seen_stack *seen;
	int rc = stack_of(l, rec, node, &seen);

	if (rc == 0 && l->scope)
		scope_place(l->scope, rec);
	if (rc == 0)
		rc = profile_sample(l->profile, rec, *node);
	if (rc > 0 && seen && !rec->user) {
		t->restored += seen->restored;
		t->doubtful += seen->doubtful;
	}
	return rc;
}

/* Records that do not count are as if they were not there. */
static int load_record(struct loader *l, const struct upf_block *b, struct upf_record *rec)
{
	uint32_t node = 0;
	int rc = 1;

	if (l->scope && !scope_has(l->scope, rec)) {
		l->profile->tally.out_of_scope += rec->kind == UPF_SAMPLE;
		return 0;
	}
	if (rec->kind == UPF_SAMPLE)
		rc = load_sample(l, rec, &node);
	else if (l->scope)
		scope_place(l->scope, rec);
	if (rc <= 0)
		return rc;
	tally_record(&l->profile->tally, rec);
	return l->hooks && l->hooks->record ? l->hooks->record(l->hooks->ctx, b, rec, node) : 0;
}

/* A block that breaks the format midway costs its rest. */
static int broken_block(struct loader *l, const struct upf_block *b, uint32_t index)
{
	l->profile->tally.bad_blocks++;
	tally_fault(&l->profile->tally, UPF_FAULT_RECORD, b->offset);
	return l->hooks && l->hooks->broken ? l->hooks->broken(l->hooks->ctx, b, index) : 0;
}

static int load_block(struct loader *l, const struct upf_block *b)
{
	enum upf_fault fault = upf_decoder_start(l->decoder, b);
	struct upf_record rec = {0};
	int rc;

	l->mapped = 0;
	l->nseen = 0;
	intern_clear(&l->by_stack);
	if (fault == UPF_FAULT_MEMORY)
		return -ENOMEM;
	if (fault != UPF_OK)
		return broken_block(l, b, 0);
	while ((rc = upf_decoder_next(l->decoder, &rec)) > 0) {
		rc = load_record(l, b, &rec);
		if (rc != 0)
			break;
	}
	return rc == -EBADMSG ? broken_block(l, b, rec.index) : rc;
}

static int load_blocks(struct loader *l, struct upf_reader *r)
{
	struct upf_block b;
	int rc;

	while ((rc = upf_reader_next(r, &b)) > 0) {
		if (b.fault != UPF_OK)
			tally_fault(&l->profile->tally, b.fault, b.offset);
		rc = l->hooks && l->hooks->block ? l->hooks->block(l->hooks->ctx, &b) : 0;
		if (rc == 0 && b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES)
			rc = load_block(l, &b);
		if (rc != 0)
			break;
	}
	return rc;
}

int load_trace(struct profile *p, struct upf_reader *r, struct rows *rows, const struct scope *scope,
               const struct load_hooks *hooks)
{
	struct loader *l = calloc(1, sizeof(*l));
	int rc = -ENOMEM;

	if (!l)
		return rc;
	l->profile = p;
	l->scope = scope;
	l->hooks = hooks;
	l->session = upf_reader_session(r);
	l->rows = rows;
	l->decoder = upf_decoder_new();
	if (l->decoder)
		rc = load_blocks(l, r);
	upf_decoder_free(l->decoder);
	free(l->map);
	free(l->seen);
	intern_free(&l->by_stack);
	free(l);
	return rc;
}
