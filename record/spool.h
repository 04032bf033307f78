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

/* @idle (NULL: none) is called by the writer thread about twice a second. The writer stays the caller's. NULL: errno. */
struct spool *spool_start(struct upf_writer *writer, uint64_t period_ns, void (*idle)(void *ctx), void *ctx);
/* The block to encode into; NULL while all are waiting to be written. */
struct upf_encoder *spool_current(struct spool *s);
/* Hands the current block over. */
void spool_submit(struct spool *s);
/* 0, or the negative errno that ended the output. */
int spool_error(const struct spool *s);
/* Waits until everything is written, ends the thread and frees: spool_error() to the end. */
int spool_finish(struct spool *s);

#endif
