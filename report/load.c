/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_MAPPED UINT32_MAX

struct loader {
	struct profile *profile;
	const struct load_hooks *hooks;
	struct upf_decoder *decoder;
	uint32_t *map; /* the block's nodes in the profile's tree, NOT_MAPPED until met */
	size_t mapped, cap;
	uint32_t path[UPF_DEPTH_MAX + 1];
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
		rc = calltree_child(&l->profile->tree, parent, nodes[node].address, &l->map[node]);
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

static int load_record(struct loader *l, const struct upf_block *b, const struct upf_record *rec)
{
	uint32_t node = 0;
	int rc = 0;

	if (rec->kind == UPF_SAMPLE) {
		rc = map_stack(l, rec->stack, &node);
		if (rc == 0)
			rc = profile_sample(l->profile, rec, node);
	}
	if (rc != 0)
		return rc;
	tally_record(&l->profile->tally, rec);
	if (l->hooks && l->hooks->record)
		rc = l->hooks->record(l->hooks->ctx, b, rec, node);
	return rc;
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

int load_trace(struct profile *p, struct upf_reader *r, const struct load_hooks *hooks)
{
	struct loader *l = calloc(1, sizeof(*l));
	int rc = -ENOMEM;

	if (!l)
		return rc;
	l->profile = p;
	l->hooks = hooks;
	l->decoder = upf_decoder_new();
	if (l->decoder)
		rc = load_blocks(l, r);
	upf_decoder_free(l->decoder);
	free(l->map);
	free(l);
	return rc;
}
