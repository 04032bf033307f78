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
static bool next_job(struct thread_pool *pool, size_t *slot)
{
	while (pool->started < pool->turn) {
		*slot = pool->started++ % pool->slots;
		if (pool->busy[*slot])
			return true;
	}
	return false;
}

/*
 * Does a job that no thread has started; false: there is none. Called with the lock, which it releases for the work.
 */
static bool do_next(struct thread_pool *pool)
{
	size_t slot;

	if (!next_job(pool, &slot))
		return false;
	pthread_mutex_unlock(&pool->lock);
	pool->work(pool->ctx, slot);
	pthread_mutex_lock(&pool->lock);
	pool->busy[slot] = false;
	pthread_cond_signal(&pool->done);
	return true;
}

static void *work_on(void *arg)
{
	struct thread_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	while (do_next(pool) || !pool->ends)
		if (pool->started == pool->turn && !pool->ends)
			pthread_cond_wait(&pool->given, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct thread_pool *thread_pool_start(unsigned helpers, size_t slots, void (*work)(void *ctx, size_t slot), void *ctx)
{
	struct thread_pool *pool = calloc(1, sizeof(*pool));
	int error = 0;

	if (!pool)
		return NULL;
	*pool = (struct thread_pool){.work = work, .ctx = ctx, .slots = slots};
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->given, NULL);
	pthread_cond_init(&pool->done, NULL);
	pool->busy = calloc(slots, sizeof(*pool->busy));
	pool->threads = calloc(helpers, sizeof(*pool->threads));
	if (!pool->busy || !pool->threads)
		error = ENOMEM;
	while (error == 0 && pool->nthreads < helpers) {
		error = pthread_create(&pool->threads[pool->nthreads], NULL, work_on, pool);
		pool->nthreads += error == 0;
	}
	if (error == 0 || pool->nthreads > 0) /* fewer do as well */
		return pool;
	thread_pool_end(pool);
	errno = error;
	return NULL;
}

size_t thread_pool_turn(struct thread_pool *pool)
{
	size_t slot = pool->turn % pool->slots;

	pthread_mutex_lock(&pool->lock);
	while (pool->busy[slot])
		if (!do_next(pool))
			pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return slot;
}

static void end_turn(struct thread_pool *pool, bool busy)
{
	pthread_mutex_lock(&pool->lock);
	pool->busy[pool->turn % pool->slots] = busy;
	pool->turn++;
	pthread_cond_signal(&pool->given);
	pthread_mutex_unlock(&pool->lock);
}

void thread_pool_give(struct thread_pool *pool)
{
	end_turn(pool, true);
}

void thread_pool_pass(struct thread_pool *pool)
{
	end_turn(pool, false);
}

void thread_pool_end(struct thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ends = true;
	pthread_cond_broadcast(&pool->given);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->nthreads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->given);
	pthread_cond_destroy(&pool->done);
	free(pool->threads);
	free(pool->busy);
	free(pool);
}

unsigned thread_pool_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n > CPUS_MAX ? CPUS_MAX : (unsigned)n;
}
