/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/spool.h"
#include "record/privileges.h"

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

struct spool {
	struct upf_writer *writer;
	uint64_t period_ns;
	void (*idle)(void *ctx);
	void *ctx;
	struct upf_encoder *current; /* the sampling thread's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	int not_held;
	/* under the lock: */
	struct upf_encoder *free[BLOCKS], *full[BLOCKS];
	unsigned nfree, nfull;
	bool ending;

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

/* The oldest full block; NULL when all is written and no more will come. Calls idle() while waiting. */
static struct upf_encoder *next_full(struct spool *s)
{
	struct upf_encoder *e = NULL;

	pthread_mutex_lock(&s->lock);
	while (s->nfull == 0 && !s->ending) {
		struct timespec deadline;

		set_deadline(&deadline);
		if (pthread_cond_timedwait(&s->filled, &s->lock, &deadline) == ETIMEDOUT && s->idle) {
			pthread_mutex_unlock(&s->lock);
			s->idle(s->ctx);
			pthread_mutex_lock(&s->lock);
		}
	}
	if (s->nfull) {
		e = s->full[0];
		s->nfull--;
		for (unsigned i = 0; i < s->nfull; i++)
			s->full[i] = s->full[i + 1];
	}
	pthread_mutex_unlock(&s->lock);
	return e;
}

static void *writer_thread(void *arg)
{
	struct spool *s = arg;
	struct upf_encoder *e;

	/* A descriptor table of its own: a thread stuck in write() outlives the process's death, and what it holds open. */
	if (s->not_held >= 0 && unshare(CLONE_FILES) == 0)
		close(s->not_held);
	privileges_drop();
	while ((e = next_full(s)) != NULL) {
		int rc = upf_writer_block(s->writer, e);

		if (rc != 0)
			atomic_store(&s->error, rc);
		upf_encoder_reset(e, s->period_ns);
		pthread_mutex_lock(&s->lock);
		s->free[s->nfree++] = e;
		pthread_cond_signal(&s->freed);
		pthread_mutex_unlock(&s->lock);
		if (s->idle)
			s->idle(s->ctx);
	}
	return NULL;
}

static void release(struct spool *s)
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
static int start_thread(struct spool *s)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	rc = pthread_create(&s->thread, &attr, writer_thread, s);
	pthread_attr_destroy(&attr);
	return rc;
}

struct spool *spool_start(struct upf_writer *writer, const struct spool_blocks *blocks, int not_held, void (*idle)(void *ctx),
                          void *ctx)
{
	struct spool *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int rc = 0;

	if (!s)
		return NULL;
	s->writer = writer;
	s->period_ns = blocks->period_ns;
	s->not_held = not_held;
	s->idle = idle;
	s->ctx = ctx;
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

struct upf_encoder *spool_current(struct spool *s)
{
	if (!s->current) {
		pthread_mutex_lock(&s->lock);
		if (s->nfree)
			s->current = s->free[--s->nfree];
		pthread_mutex_unlock(&s->lock);
	}
	return s->current;
}

struct upf_encoder *spool_wait(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	while (!s->current && s->nfree == 0)
		pthread_cond_wait(&s->freed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return spool_current(s);
}

void spool_submit(struct spool *s)
{
	if (!s->current || upf_encoder_empty(s->current))
		return;
	pthread_mutex_lock(&s->lock);
	s->full[s->nfull++] = s->current;
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	s->current = NULL;
}

int spool_error(const struct spool *s)
{
	return atomic_load(&s->error);
}

int spool_finish(struct spool *s)
{
	int rc;

	spool_submit(s);
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	rc = spool_error(s);
	release(s);
	return rc;
}
