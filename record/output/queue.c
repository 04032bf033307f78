/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/queue.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/clock.h"
#include "record/process/thread.h"

#define BLOCKS 4
#define IDLE_NS 500000000

struct full_block {
	struct upf_encoder *block;
	struct block_info info;
};

struct queue {
	struct queue_consumer consumer;
	uint64_t period_ns;
	struct upf_encoder *current; /* the sampling thread's */
	struct full_block taken;     /* the writer thread's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	int not_held;
	/* under the lock: */
	struct upf_encoder *free[BLOCKS];
	struct full_block full[BLOCKS];
	unsigned nfree, nfull;
	bool ending;
	enum { STARTING, STARTED, FAILED } state;

	atomic_int error;
};

/* Takes the oldest full block. False: there is none and none will come. Calls idle() while it waits. */
static bool next_full(struct queue *q)
{
	bool any;

	pthread_mutex_lock(&q->lock);
	while (q->nfull == 0 && !q->ending) {
		if (clock_await(&q->filled, &q->lock, clock_now() + IDLE_NS) == ETIMEDOUT) {
			pthread_mutex_unlock(&q->lock);
			q->consumer.idle(q->consumer.ctx);
			pthread_mutex_lock(&q->lock);
		}
	}
	any = q->nfull > 0;
	if (any) {
		q->taken = q->full[0];
		q->nfull--;
		for (unsigned i = 0; i < q->nfull; i++)
			q->full[i] = q->full[i + 1];
	}
	pthread_mutex_unlock(&q->lock);
	return any;
}

static void give_back(struct queue *q, struct upf_encoder *e)
{
	upf_encoder_reset(e, q->period_ns);
	pthread_mutex_lock(&q->lock);
	q->free[q->nfree++] = e;
	clock_signal(&q->freed);
	pthread_mutex_unlock(&q->lock);
}

/* Keeps the first error: it is the cause of those that follow. */
static void note_error(struct queue *q, int rc)
{
	int none = 0;

	if (rc != 0)
		atomic_compare_exchange_strong(&q->error, &none, rc);
}

/* Tells start_writer(), which waits for the result. */
static bool start_queue(struct queue *q)
{
	bool started = q->consumer.start(q->consumer.ctx) == 0;

	pthread_mutex_lock(&q->lock);
	q->state = started ? STARTED : FAILED;
	clock_signal(&q->freed);
	pthread_mutex_unlock(&q->lock);
	return started;
}

static void *writer_thread(void *arg)
{
	struct queue *q = arg;

	thread_begin(q->not_held);
	if (!start_queue(q))
		return NULL;
	while (next_full(q)) {
		note_error(q, q->consumer.consume(q->consumer.ctx, q->taken.block, &q->taken.info));
		give_back(q, q->taken.block);
		q->consumer.idle(q->consumer.ctx);
	}
	note_error(q, q->consumer.finish(q->consumer.ctx));
	return NULL;
}

static void release_queue(struct queue *q)
{
	for (unsigned i = 0; i < q->nfree; i++)
		upf_encoder_free(q->free[i]);
	upf_encoder_free(q->current);
	pthread_cond_destroy(&q->filled);
	pthread_cond_destroy(&q->freed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

static int start_writer(struct queue *q)
{
	int rc = thread_start(&q->thread, writer_thread, q);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&q->lock);
	while (q->state == STARTING)
		clock_await(&q->freed, &q->lock, CLOCK_NEVER);
	pthread_mutex_unlock(&q->lock);
	if (q->state == STARTED)
		return 0;
	pthread_join(q->thread, NULL);
	return ECANCELED;
}

struct queue *queue_start(const struct queue_consumer *consumer, const struct queue_blocks *blocks, int not_held)
{
	struct queue *q = calloc(1, sizeof(*q));
	int rc = 0;

	if (!q)
		return NULL;
	q->consumer = *consumer;
	q->period_ns = blocks->period_ns;
	q->not_held = not_held;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->freed, NULL);
	while (rc == 0 && q->nfree < BLOCKS) {
		struct upf_encoder *e = upf_encoder_new(blocks->tops, blocks->slots, blocks->copy_words);

		if (!e) {
			rc = ENOMEM;
			break;
		}
		upf_encoder_reset(e, blocks->period_ns);
		q->free[q->nfree++] = e;
	}
	if (rc == 0)
		rc = start_writer(q);
	if (rc != 0) {
		release_queue(q);
		errno = rc;
		return NULL;
	}
	return q;
}

struct upf_encoder *queue_current(struct queue *q)
{
	if (!q->current) {
		pthread_mutex_lock(&q->lock);
		if (q->nfree)
			q->current = q->free[--q->nfree];
		pthread_mutex_unlock(&q->lock);
	}
	return q->current;
}

struct upf_encoder *queue_wait(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	while (!q->current && q->nfree == 0)
		clock_await(&q->freed, &q->lock, CLOCK_NEVER);
	pthread_mutex_unlock(&q->lock);
	return queue_current(q);
}

bool queue_submit(struct queue *q, const struct block_info *info)
{
	if (!q->current || (upf_encoder_empty(q->current) && !info->asked))
		return false;
	pthread_mutex_lock(&q->lock);
	q->full[q->nfull++] = (struct full_block){q->current, *info};
	clock_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
	q->current = NULL;
	return true;
}

int queue_error(const struct queue *q)
{
	return atomic_load(&q->error);
}

int queue_finish(struct queue *q)
{
	int rc;

	pthread_mutex_lock(&q->lock);
	q->ending = true;
	clock_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	rc = queue_error(q);
	release_queue(q);
	return rc;
}
