/* SPDX-License-Identifier: BSD-2-Clause */
/* load_options.h - what to do with a trace while it is loaded, and who listens. */
#ifndef REPORT_PROFILE_LOAD_OPTIONS_H
#define REPORT_PROFILE_LOAD_OPTIONS_H

#include "report/input/scope.h"
#include "report/output/progress.h"
#include "report/unwind/cfi.h"

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

/* What to do with a trace; all zero: all of it counts, stacks as recorded. */
struct load_options {
	struct cfi *cfi;           /* makes stacks true */
	bool archived;             /* without CFI: so do the stacks that the trace itself has for that */
	const struct scope *scope; /* what counts: hooks hear of nothing else */
	const struct load_hooks *hooks;
	struct progress *progress;
	uint64_t size;    /* of the file, for it; 0: not known */
	uint64_t memory;  /* bytes that it may take whatever its size; 0: 512 MiB */
	unsigned threads; /* that decode; 0: as many as help. What comes out is the same */
};

#endif
