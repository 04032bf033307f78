/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue.h - blocks on their way from the sampling thread, which fills them, to the writer thread, which it starts and
 * which calls a consumer for each of them. The sampling thread never waits for the disk: if no block is free, it is
 * told so.
 */
#ifndef RECORD_OUTPUT_QUEUE_H
#define RECORD_OUTPUT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/upf.h"

struct queue;

/* What blocks must have room for. */
struct queue_blocks {
	uint64_t period_ns; /* expected between rounds */
	enum upf_tops tops;
	uint32_t slots, copy_words; /* copies of stacks: of how many vCPUs, words of each */
};

/* What goes with a block. */
struct block_info {
	struct upf_totals totals; /* of this block alone; duration_ns is not used */
	enum block_action {
		BLOCK_APPEND, /* add it to the trace */
		BLOCK_SWITCH, /* begin another trace with it, whose time 0 is @time_ns of CLOCK_MONOTONIC */
		/* Flight recorder: keep it unless it is empty, and write a trace, up to @time_ns, of what is kept. */
		BLOCK_DUMP,
	} action;
	bool asked; /* hand it over also if it is empty, since somebody waits for its action */
	uint64_t time_ns;
};

/* Called by the writer thread only. consume() and finish() return 0 or a negative errno; the first error is kept. */
struct queue_consumer {
	void *ctx;
	int (*start)(void *ctx); /* first of all; if it is not 0, the thread ends */
	int (*consume)(void *ctx, struct upf_encoder *e, const struct block_info *info);
	int (*finish)(void *ctx); /* last of all */
	void (*idle)(void *ctx);  /* about twice a second */
};

/*
 * Starts the writer thread and waits for its start(). @consumer is copied. The thread has a descriptor table of its
 * own, in which it closes @not_held, the watchdog's descriptor (-1: none): stuck in write(), it must not keep the
 * watchdog from noticing our death. So what the consumer opens is open in this thread only.
 * NULL: errno; ECANCELED: start() failed.
 */
struct queue *queue_start(const struct queue_consumer *consumer, const struct queue_blocks *blocks, int not_held);
/* The block to encode into; NULL: none is free. */
struct upf_encoder *queue_current(struct queue *q);
/* Waits until a block is free: never call it while a guest is paused. */
struct upf_encoder *queue_wait(struct queue *q);
/* Hands the current block to the writer thread with a copy of @info. False: there is none, or nothing is to be done. */
bool queue_submit(struct queue *q, const struct block_info *info);
/* 0, or the first error of the consumer. */
int queue_error(const struct queue *q);
/* Waits until all blocks are consumed, ends the thread and frees @q. 0, or the first error of the consumer. */
int queue_finish(struct queue *q);

#endif
