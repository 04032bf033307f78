/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.h - a trace, from its reader into a profile.
 *
 * Each node of a block's own tree is looked up in the profile's call tree once, when its first sample comes; every
 * later sample of that stack costs one look into an array and one into the index of stacks.
 */
#ifndef REPORT_PROFILE_LOAD_H
#define REPORT_PROFILE_LOAD_H

#include "report/profile/profile.h"
#include "report/output/progress.h"
#include "report/profile/selection.h"
#include "report/unwind/unwind.h"

/* Views that show a trace in its own order listen; either function may be NULL. Not 0 ends loading with that value. */
struct load_hooks {
	void *ctx;
	/* Before a block's records, and for every block that is skipped (b->fault). */
	int (*block)(void *ctx, const struct upf_block *b);
	/* @node is the sample's leaf in the profile's tree; 0 for other records. */
	int (*record)(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node);
	/*
	 * 0: record() hears of every sample. Otherwise of repeated ones only once for each stretch of so much time,
	 * not in order, with their number in rec->count.
	 */
	uint64_t slot_ns;
	/* The rest of block @b breaks the format after record number @index. */
	int (*broken)(void *ctx, const struct upf_block *b, uint32_t index);
};

/* What to do with a trace; all zero: all of it counts, stacks as recorded. */
struct load_options {
	struct cfi *rows;          /* make stacks true */
	bool archived;             /* without rows: so do the stacks that the trace itself has for that */
	const struct scope *scope; /* what counts: hooks hear of nothing else */
	const struct load_hooks *hooks;
	struct progress *progress;
	uint64_t size;    /* of the file, for it; 0: not known */
	uint64_t memory;  /* bytes that it may take whatever its size; 0: 512 MiB */
	unsigned threads; /* that decode; 0: as many as help. What comes out is the same */
};

/*
 * Reads @r to its end and adds it to @p. @options NULL: all zero. Damage is not an error: it is counted in p->counters
 * and by upf_reader_health(). 0, what a hook returned, or a negative errno: reading failed, out of memory, -EFBIG: it
 * would take memory or time out of all proportion to its size.
 */
int load_trace(struct profile *p, struct upf_reader *r, const struct load_options *options);

/* May the sample's stack be another one in truth than recorded? Rows are known for one architecture alone. */
bool load_may_differ(const struct upf_session *session, const struct upf_record *rec);
/* What it is in truth: *chain, whose n is 0 if it is as recorded. @decoder has just given out @rec. */
void load_chain(struct cfi *rows, const struct upf_session *session, const struct upf_decoder *decoder,
                const struct upf_record *rec, struct chain *chain);

#endif
