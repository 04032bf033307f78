/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_pool.h - jobs done by several threads, their results taken in the order in which they were given: whatever
 * the number of threads, the outcome is the same.
 *
 * There is a slot for each job under way, used in turn. Whoever gives jobs does, over and over:
 *
 *	slot = thread_pool_turn(c);        the last job in it is done now
 *	take the result of that job, put a new one in
 *	thread_pool_give(c);
 *
 * and at the end thread_pool_turn() and thread_pool_pass() once for every slot, then thread_pool_end(). While it would
 * wait, it does jobs itself.
 */
#ifndef COMMON_THREAD_POOL_H
#define COMMON_THREAD_POOL_H

#include <stddef.h>

struct thread_pool;

/* @work does the job in a slot, on any of the @helpers threads or the caller's. NULL: errno. */
struct thread_pool *thread_pool_start(unsigned helpers, size_t slots, void (*work)(void *ctx, size_t slot), void *ctx);
/* Returns when the job in the slot whose turn it is has been done: its number. */
size_t thread_pool_turn(struct thread_pool *c);
void thread_pool_give(struct thread_pool *c); /* there is a new job in it */
void thread_pool_pass(struct thread_pool *c); /* there is none */
/* Waits until all that was given is done. NULL is fine. */
void thread_pool_end(struct thread_pool *c);

/* CPUs this process may run on. */
unsigned thread_pool_cpus(void);

#endif
