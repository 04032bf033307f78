/* SPDX-License-Identifier: BSD-2-Clause */
/* load_options.h - how a trace is loaded, and callbacks for its records. */
#ifndef REPORT_PROFILE_LOAD_OPTIONS_H
#define REPORT_PROFILE_LOAD_OPTIONS_H

#include "report/input/binaries.h"
#include "report/output/progress.h"

#include <stdio.h>

/*
 * For views that show records in order; each function may be NULL. A return value other than 0 ends loading with it.
 */
struct load_hooks {
	void *ctx;
	/* Before a block's records, and for every block that is skipped (b->fault). */
	int (*block)(void *ctx, const struct upf_block *b);
	/*
	 * Before the next block is waited for, and once it is there, or the end: for who looks at the profile meanwhile.
	 */
	int (*waits)(void *ctx, bool begins);
	/* Flushed before each block's records, as a pipe may be slow; if it has no reader, loading ends with -EIO. */
	FILE *flushed;
	/* @node is the sample's leaf in the profile's tree; 0 for other records. */
	int (*record)(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node);
	/* Samples that are in scope, but left out by name. */
	int (*left_out)(void *ctx, const struct upf_record *rec);
	/*
	 * 0: both are called for every sample. Otherwise for repeated samples only once for each such stretch of
	 * time, out of order, with their number in rec->count.
	 */
	uint64_t slot_ns;
	/* The rest of block @b breaks the format after record number @index. */
	int (*broken)(void *ctx, const struct upf_block *b, uint32_t index);
};

/* What to do with a trace; all zero: all of it counts, stacks as recorded. */
struct load_options {
	const struct binaries *binaries; /* whose CFI makes stacks true; NULL: none, and all domains ran one program */
	bool archived;                   /* without CFI: so do the stacks that the trace itself has for that */
	const struct scope *scope;       /* what counts: hooks hear of nothing else */
	const struct load_hooks *hooks;
	/* Gets the time of each of the trace's domains, from its first to its last round, in scope or not; NULL: not. */
	struct scope_span *rounds;
	struct progress *progress;
	uint64_t size;    /* of the file, for it; 0: not known */
	uint64_t memory;  /* bytes that it may take whatever its size; 0: 512 MiB */
	unsigned threads; /* that decode; 0: as many as help. What comes out is the same */
};

#endif
