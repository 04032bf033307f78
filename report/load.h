/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.h - a trace, from its reader into a profile.
 *
 * Each node of a block's own tree is looked up in the profile's call tree once, when its first sample comes; every later
 * sample of that stack costs one look into an array and one into the index of stacks.
 */
#ifndef REPORT_LOAD_H
#define REPORT_LOAD_H

#include "report/profile.h"
#include "report/selection.h"
#include "report/unwind/rows.h"

/* Views that show a trace in its own order listen; either function may be NULL. Not 0 ends loading with that value. */
struct load_hooks {
	void *ctx;
	/* Before a block's records, and for every block that is skipped (b->fault). */
	int (*block)(void *ctx, const struct upf_block *b);
	/* @node is the sample's leaf in the profile's tree; 0 for other records. */
	int (*record)(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node);
	/* The rest of block @b breaks the format after record number @index. */
	int (*broken)(void *ctx, const struct upf_block *b, uint32_t index);
};

/*
 * Reads @r to its end and adds it to @p. @rows (NULL: none) makes stacks true, else they are as recorded; @scope (NULL: all)
 * tells what counts, hooks hear of nothing else. Damage is not an error: it is counted in p->tally and by
 * upf_reader_health(). 0, what a hook returned, or a negative errno: reading failed, out of memory.
 */
int load_trace(struct profile *p, struct upf_reader *r, struct rows *rows, const struct scope *scope,
               const struct load_hooks *hooks);

#endif
