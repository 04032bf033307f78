/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/queue.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCKS 4
#define IDLE_NS 500000000

struct handed {
	struct upf_encoder *block;
	struct queue_slip slip;
};

struct queue {
	struct queue_taker taker;
	uint64_t period_ns;
	struct upf_encoder *current; /* the sampling thread's */
	struct handed taken;         /* the writer thread's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	int not_held;
	/* under the lock: */
	struct upf_encoder *free[BLOCKS];
	struct handed full[BLOCKS];
	unsigned nfree, nfull;
	bool ending;
	enum { STARTING, STARTED, FAILED } state;

	atomic_int error;
};

static void set_deadline(struct timespec *t)
{
	clock_gettime(CLOCK_MONOTONIC, t);
	t->tv_nsec += IDLE_NS;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
}

/* The oldest full block into s->taken. False when all are taken and no more will come. Calls idle() while waiting. */
static bool next_full(struct queue *s)
{
	bool any;

	pthread_mutex_lock(&s->lock);
	while (s->nfull == 0 && !s->ending) {
		struct timespec deadline;

		set_deadline(&deadline);
		if (pthread_cond_timedwait(&s->filled, &s->lock, &deadline) == ETIMEDOUT) {
			pthread_mutex_unlock(&s->lock);
			s->taker.idle(s->taker.ctx);
			pthread_mutex_lock(&s->lock);
		}
	}
	any = s->nfull > 0;
	if (any) {
		s->taken = s->full[0];
		s->nfull--;
		for (unsigned i = 0; i < s->nfull; i++)
			s->full[i] = s->full[i + 1];
	}
	pthread_mutex_unlock(&s->lock);
	return any;
}

static void give_back(struct queue *s, struct upf_encoder *e)
{
	upf_encoder_reset(e, s->period_ns);
	pthread_mutex_lock(&s->lock);
	s->free[s->nfree++] = e;
	pthread_cond_signal(&s->freed);
	pthread_mutex_unlock(&s->lock);
}

/* The first one is the cause of those that follow. */
static void note_error(struct queue *s, int rc)
{
	int none = 0;

	if (rc != 0)
		atomic_compare_exchange_strong(&s->error, &none, rc);
}

/* Tells the thread that waits for it. */
static bool start(struct queue *s)
{
	bool started = s->taker.start(s->taker.ctx) == 0;

	pthread_mutex_lock(&s->lock);
	s->state = started ? STARTED : FAILED;
	pthread_cond_signal(&s->freed);
	pthread_mutex_unlock(&s->lock);
	return started;
}

static void *writer_thread(void *arg)
{
	struct queue *s = arg;

	/*
	 * A descriptor table of its own: a thread stuck in write() outlives the process's death, and what it holds
	 * open.
	 */
	if (s->not_held >= 0 && unshare(CLONE_FILES) == 0)
		close(s->not_held);
	if (!start(s))
		return NULL;
	while (next_full(s)) {
		note_error(s, s->taker.take(s->taker.ctx, s->taken.block, &s->taken.slip));
		give_back(s, s->taken.block);
		s->taker.idle(s->taker.ctx);
	}
	note_error(s, s->taker.end(s->taker.ctx));
	return NULL;
}

static void release(struct queue *s)
{
	for (unsigned i = 0; i < s->nfree; i++)
		upf_encoder_free(s->free[i]);
	upf_encoder_free(s->current);
	pthread_cond_destroy(&s->filled);
	pthread_cond_destroy(&s->freed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* A small stack: with memory locked all of it counts. */
static int start_thread(struct queue *s)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	rc = pthread_create(&s->thread, &attr, writer_thread, s);
	pthread_attr_destroy(&attr);
	if (rc != 0)
		return rc;
	pthread_mutex_lock(&s->lock);
	while (s->state == STARTING)
		pthread_cond_wait(&s->freed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	if (s->state == STARTED)
		return 0;
	pthread_join(s->thread, NULL);
	return ECANCELED;
}

struct queue *queue_start(const struct queue_taker *taker, const struct queue_blocks *blocks, int not_held)
{
	struct queue *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int rc = 0;

	if (!s)
		return NULL;
	s->taker = *taker;
	s->period_ns = blocks->period_ns;
	s->not_held = not_held;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->filled, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&s->freed, NULL);
	while (rc == 0 && s->nfree < BLOCKS) {
		struct upf_encoder *e = upf_encoder_new(blocks->tops, blocks->slots, blocks->copy_words);

		if (!e) {
			rc = ENOMEM;
			break;
		}
		upf_encoder_reset(e, blocks->period_ns);
		s->free[s->nfree++] = e;
	}
	if (rc == 0)
		rc = start_thread(s);
	if (rc != 0) {
		release(s);
		errno = rc;
		return NULL;
	}
	return s;
}

struct upf_encoder *queue_current(struct queue *s)
{
	if (!s->current) {
		pthread_mutex_lock(&s->lock);
		if (s->nfree)
			s->current = s->free[--s->nfree];
		pthread_mutex_unlock(&s->lock);
	}
	return s->current;
}

struct upf_encoder *queue_wait(struct queue *s)
{
	pthread_mutex_lock(&s->lock);
	while (!s->current && s->nfree == 0)
		pthread_cond_wait(&s->freed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return queue_current(s);
}

bool queue_submit(struct queue *s, const struct queue_slip *slip)
{
	if (!s->current || upf_encoder_empty(s->current))
		return false;
	pthread_mutex_lock(&s->lock);
	s->full[s->nfull++] = (struct handed){s->current, *slip};
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	s->current = NULL;
	return true;
}

int queue_error(const struct queue *s)
{
	return atomic_load(&s->error);
}

int queue_finish(struct queue *s)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	rc = queue_error(s);
	release(s);
	return rc;
}
