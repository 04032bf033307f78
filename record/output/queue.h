/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue.h - blocks on their way from the sampling thread to the trace: the writer thread hands them to a taker.
 * The sampling thread never waits: with every block full and the disk behind, it is told so and counts its samples as
 * lost.
 */
#ifndef RECORD_OUTPUT_QUEUE_H
#define RECORD_OUTPUT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/upf.h"

struct queue;

/* What blocks must hold. */
struct queue_blocks {
	uint64_t period_ns; /* expected between rounds */
	enum upf_tops tops;
	uint32_t slots, copy_words; /* copies: how many vCPUs, words of each */
};

/* What goes with a block. */
struct queue_slip {
	struct upf_totals totals; /* of the block alone; its duration is not looked at */
	enum queue_turn {
		QUEUE_ON,    /* nothing special */
		QUEUE_BEGIN, /* with this block another trace begins, whose time 0 is @time_ns of CLOCK_MONOTONIC */
		QUEUE_DUMP,  /* with this block what was kept is wanted */
	} turn;
	uint64_t time_ns;
};

/* Where blocks go; called by the writer thread. take() and end() return 0 or a negative errno, which is kept. */
struct queue_taker {
	void *ctx;
	int (*start)(void *ctx); /* before all else; not 0 ends the thread at once */
	int (*take)(void *ctx, struct upf_encoder *e, const struct queue_slip *slip);
	int (*end)(void *ctx);   /* after all else */
	void (*idle)(void *ctx); /* about twice a second */
};

/*
 * The taker is copied. The writer thread lets go of @not_held, the watchdog's descriptor (-1: none): stuck in a write,
 * it must not keep the watchdog asleep. So what the taker opens is that thread's alone. NULL: start() failed, or
 * errno.
 */
struct queue *queue_start(const struct queue_taker *taker, const struct queue_blocks *blocks, int not_held);
/* The block to encode into; NULL while all are waiting to be written. */
struct upf_encoder *queue_current(struct queue *s);
/* The same, but waits until there is one: only where nothing is paused. */
struct upf_encoder *queue_wait(struct queue *s);
/* Hands the current block over, with a copy of @slip. False: there is none, or nothing in it. */
bool queue_submit(struct queue *s, const struct queue_slip *slip);
/* 0, or the negative errno that ended the output. */
int queue_error(const struct queue *s);
/* Waits until all that was handed over is taken, ends the thread and frees: queue_error() to the end. */
int queue_finish(struct queue *s);

#endif
