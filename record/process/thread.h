/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.h - a thread beside the sampling thread. */
#ifndef RECORD_PROCESS_THREAD_H
#define RECORD_PROCESS_THREAD_H

#include <pthread.h>

/*
 * Starts @run(@arg) with a small stack: if memory is locked, all of it is resident. 0 or an errno. Call it before
 * real-time priority is taken, which the thread would inherit.
 */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
/*
 * To be called by the thread first: signals are the sampling thread's. If @not_held, the watchdog's descriptor, is not
 * -1, the thread gets a descriptor table of its own, in which that is closed: a thread that is stuck in a call lives on
 * after the process was killed, and so do the descriptors that it holds.
 */
void thread_begin(int not_held);
/* Adds 1 to an eventfd. It would only block at 2^64. */
void thread_wake(int eventfd);

#endif
