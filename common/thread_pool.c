/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/thread_pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define CPUS_MAX 8 /* more do not help: one thread takes all results */

struct thread_pool {
	void (*work)(void *ctx, size_t slot);
	void *ctx;
	size_t slots;
	bool *busy;       /* by slot: given and not done */
	uint64_t turn;    /* jobs given or passed */
	uint64_t started; /* of these, those that a thread has begun with, or passed */
	bool ends;
	pthread_mutex_t lock;
	pthread_cond_t given, done;
	pthread_t *threads;
	unsigned nthreads;
};

/* Jobs are started in the order of their slots; a slot that was passed is not busy. */
static bool next_job(struct thread_pool *c, size_t *slot)
{
	while (c->started < c->turn) {
		*slot = c->started++ % c->slots;
		if (c->busy[*slot])
			return true;
	}
	return false;
}

/*
 * Does a job that no thread has started; false: there is none. Called with the lock, which it releases for the work.
 */
static bool do_next(struct thread_pool *c)
{
	size_t slot;

	if (!next_job(c, &slot))
		return false;
	pthread_mutex_unlock(&c->lock);
	c->work(c->ctx, slot);
	pthread_mutex_lock(&c->lock);
	c->busy[slot] = false;
	pthread_cond_signal(&c->done);
	return true;
}

static void *run(void *arg)
{
	struct thread_pool *c = arg;

	pthread_mutex_lock(&c->lock);
	while (do_next(c) || !c->ends)
		if (c->started == c->turn && !c->ends)
			pthread_cond_wait(&c->given, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct thread_pool *thread_pool_start(unsigned helpers, size_t slots, void (*work)(void *ctx, size_t slot), void *ctx)
{
	struct thread_pool *c = calloc(1, sizeof(*c));
	int error = 0;

	if (!c)
		return NULL;
	*c = (struct thread_pool){.work = work, .ctx = ctx, .slots = slots};
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->given, NULL);
	pthread_cond_init(&c->done, NULL);
	c->busy = calloc(slots, sizeof(*c->busy));
	c->threads = calloc(helpers, sizeof(*c->threads));
	if (!c->busy || !c->threads)
		error = ENOMEM;
	while (error == 0 && c->nthreads < helpers) {
		error = pthread_create(&c->threads[c->nthreads], NULL, run, c);
		c->nthreads += error == 0;
	}
	if (error == 0 || c->nthreads > 0) /* fewer do as well */
		return c;
	thread_pool_end(c);
	errno = error;
	return NULL;
}

size_t thread_pool_turn(struct thread_pool *c)
{
	size_t slot = c->turn % c->slots;

	pthread_mutex_lock(&c->lock);
	while (c->busy[slot])
		if (!do_next(c))
			pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return slot;
}

static void end_turn(struct thread_pool *c, bool busy)
{
	pthread_mutex_lock(&c->lock);
	c->busy[c->turn % c->slots] = busy;
	c->turn++;
	pthread_cond_signal(&c->given);
	pthread_mutex_unlock(&c->lock);
}

void thread_pool_give(struct thread_pool *c)
{
	end_turn(c, true);
}

void thread_pool_pass(struct thread_pool *c)
{
	end_turn(c, false);
}

void thread_pool_end(struct thread_pool *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ends = true;
	pthread_cond_broadcast(&c->given);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->nthreads; i++)
		pthread_join(c->threads[i], NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->given);
	pthread_cond_destroy(&c->done);
	free(c->threads);
	free(c->busy);
	free(c);
}

unsigned thread_pool_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n > CPUS_MAX ? CPUS_MAX : (unsigned)n;
}
