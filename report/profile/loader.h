/* SPDX-License-Identifier: BSD-2-Clause */
/* loader.h - the loading of one trace: one block after the other; load.c has several at once. */
#ifndef REPORT_PROFILE_LOADER_H
#define REPORT_PROFILE_LOADER_H

#include "report/profile/block_stacks.h"
#include "report/profile/gaps.h"
#include "report/profile/load_options.h"
#include "report/profile/profile.h"
#include "report/profile/repeats.h"

struct loader {
	struct profile *profile;
	size_t bytes_before; /* what the profile took of memory */
	struct load_options options;
	struct upf_decoder *decoder;
	struct block_stacks stacks;
	const struct upf_block *block;
	struct repeats repeats;
	struct gaps gaps;
	uint32_t *functions; /* in the call tree, by the block's number of a function of the host; + 1, 0: not known */
	size_t nfunctions, functions_cap;
	uint64_t rate_mhz;       /* that was asked for */
	uint64_t next_seq;       /* of the block that is to come */
	bool hole;               /* something is missing before the next samples block */
	bool broken;             /* the block's rest is missing */
	uint64_t block_walked;   /* repeated samples of this block that were gone through */
	uint64_t walked, stored; /* of all blocks; their bytes */
};

/* Adds to @p what comes of @session. 0 or -ENOMEM; loader_close() in either case. */
int loader_open(struct loader *l, struct profile *p, const struct upf_session *session,
                const struct load_options *options);
void loader_close(struct loader *l);
/* Whatever block comes next, sound or not. What upf_reader_next() returns, or -EFBIG. */
int loader_next(struct loader *l, struct upf_reader *r, struct upf_block *b);
/* A sound block of samples. 0, what a hook returned, or a negative errno. */
int loader_block(struct loader *l, const struct upf_block *b);
/*
 * A block of @stored bytes is done, of which @walked repeated samples were gone through: is that in proportion over
 * all blocks so far, in their order? 0 or -EFBIG.
 */
int loader_block_done(struct loader *l, uint64_t walked, uint64_t stored);
/* All that is left of @r, a block after the other. */
int loader_blocks(struct loader *l, struct upf_reader *r);

#endif
