/* SPDX-License-Identifier: BSD-2-Clause */
/* footer.h - the block that completes a trace: totals, histogram, reason, index (FORMAT.md, "Footer"). */
#ifndef FORMAT_FILE_FOOTER_H
#define FORMAT_FILE_FOOTER_H

#include "common/buf.h"
#include "format/upf.h"

#define INDEX_MAX 4096 /* entries; a longer trace lists every second block, then every fourth, ... */

/* The places of some blocks; others are found by reading on from the entry before them. */
struct block_index {
	struct index_entry {
		uint64_t offset, first_ns, samples;
	} entry[INDEX_MAX];
	size_t n;
	uint64_t stride, blocks; /* blocks for one entry; all blocks */
};
void index_add(struct block_index *x, uint64_t offset, uint64_t first_ns, uint64_t samples);

int footer_put(struct buf *b, const struct upf_totals *t, enum upf_reason reason, const struct block_index *x);
/* 0 or -EBADMSG. The index is checked, but not stored. */
int footer_get(const uint8_t *at, size_t size, struct upf_totals *t, enum upf_reason *reason);

#endif
