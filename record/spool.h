/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spool.h - blocks on their way from the sampling thread to the trace: the writer thread compresses and writes them.
 * The sampling thread never waits: with every block full and the disk behind, it is told so and counts its samples as lost.
 */
#ifndef RECORD_SPOOL_H
#define RECORD_SPOOL_H

#include <stdint.h>

#include "format/upf.h"

struct spool;

/* What blocks must hold. */
struct spool_blocks {
	uint64_t period_ns; /* expected between rounds */
	enum upf_tops tops;
	uint32_t slots, copy_words; /* copies: how many vCPUs, words of each */
};

/*
 * @idle (NULL: none) is called by the writer thread about twice a second. The writer stays the caller's. The writer thread
 * lets go of @not_held, the guard's descriptor (-1: none): stuck in a write, it must not keep the guard asleep. NULL: errno.
 */
struct spool *spool_start(struct upf_writer *writer, const struct spool_blocks *blocks, int not_held, void (*idle)(void *ctx),
                          void *ctx);
/* The block to encode into; NULL while all are waiting to be written. */
struct upf_encoder *spool_current(struct spool *s);
/* The same, but waits until there is one: only where nothing is paused. */
struct upf_encoder *spool_wait(struct spool *s);
/* Hands the current block over. */
void spool_submit(struct spool *s);
/* 0, or the negative errno that ended the output. */
int spool_error(const struct spool *s);
/* Waits until everything is written, ends the thread and frees: spool_error() to the end. */
int spool_finish(struct spool *s);

#endif
