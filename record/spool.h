/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spool.h - blocks on their way from the sampling thread to the trace: the writer thread hands them to a taker.
 * The sampling thread never waits: with every block full and the disk behind, it is told so and counts its samples as lost.
 */
#ifndef RECORD_SPOOL_H
#define RECORD_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/upf.h"

struct spool;

/* What blocks must hold. */
struct spool_blocks {
	uint64_t period_ns; /* expected between rounds */
	enum upf_tops tops;
	uint32_t slots, copy_words; /* copies: how many vCPUs, words of each */
};

/* What goes with a block. */
struct spool_slip {
	struct upf_totals totals; /* of the block alone; its duration is not looked at */
	enum spool_turn {
		SPOOL_ON,    /* nothing special */
		SPOOL_BEGIN, /* with this block another trace begins, whose time 0 is @time_ns of CLOCK_MONOTONIC */
		SPOOL_DUMP,  /* with this block what was kept is wanted */
	} turn;
	uint64_t time_ns;
};

/* Where blocks go; called by the writer thread. take() and end() return 0 or a negative errno, which is kept. */
struct spool_taker {
	void *ctx;
	int (*start)(void *ctx); /* before all else; not 0 ends the thread at once */
	int (*take)(void *ctx, struct upf_encoder *e, const struct spool_slip *slip);
	int (*end)(void *ctx);   /* after all else */
	void (*idle)(void *ctx); /* about twice a second */
};

/*
 * The taker is copied. The writer thread lets go of @not_held, the guard's descriptor (-1: none): stuck in a write, it must
 * not keep the guard asleep. So what the taker opens is that thread's alone. NULL: start() failed, or errno.
 */
struct spool *spool_start(const struct spool_taker *taker, const struct spool_blocks *blocks, int not_held);
/* The block to encode into; NULL while all are waiting to be written. */
struct upf_encoder *spool_current(struct spool *s);
/* The same, but waits until there is one: only where nothing is paused. */
struct upf_encoder *spool_wait(struct spool *s);
/* Hands the current block over, with a copy of @slip. False: there is none, or nothing in it. */
bool spool_submit(struct spool *s, const struct spool_slip *slip);
/* 0, or the negative errno that ended the output. */
int spool_error(const struct spool *s);
/* Waits until all that was handed over is taken, ends the thread and frees: spool_error() to the end. */
int spool_finish(struct spool *s);

#endif
