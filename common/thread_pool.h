/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_pool.h - jobs done by several threads. Results are taken in the order in which the jobs were given, so the
 * outcome does not depend on the number of threads.
 *
 * Jobs are in slots, which are used in turn. The caller repeats:
 *
 *	slot = thread_pool_turn(pool);     the last job in this slot is done now
 *	take the result of that job, put a new one in
 *	thread_pool_give(pool);
 *
 * and at the end thread_pool_turn() and thread_pool_pass() once for each slot, then thread_pool_end(). Instead of
 * waiting, the caller's thread does jobs too.
 */
#ifndef COMMON_THREAD_POOL_H
#define COMMON_THREAD_POOL_H

#include <stddef.h>

struct thread_pool;

/* @work does the job in a slot, on any of the @helpers threads or the caller's. NULL: errno. */
struct thread_pool *thread_pool_start(unsigned helpers, size_t slots, void (*work)(void *ctx, size_t slot), void *ctx);
/* Waits until the job in the next slot is done. The slot's number. */
size_t thread_pool_turn(struct thread_pool *pool);
void thread_pool_give(struct thread_pool *pool); /* there is a new job in this slot */
void thread_pool_pass(struct thread_pool *pool); /* there is no new job in this slot */
/* Waits until all jobs are done. NULL is fine. */
void thread_pool_end(struct thread_pool *pool);

/* CPUs this process may run on. */
unsigned thread_pool_cpus(void);

#endif
