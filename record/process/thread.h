/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.h - what a thread is started with, and what it does for itself: priority, capabilities, descriptors. */
#ifndef RECORD_PROCESS_THREAD_H
#define RECORD_PROCESS_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/*
 * The process gets no more huge pages: at the first use of one the kernel clears 2 MB, and no sample is taken
 * meanwhile. Programs started later inherit that: call it after the command of --start, which may be a monitor.
 */
void thread_small_pages(void);

/*
 * Tries to run the calling thread at real-time @priority (SCHED_FIFO, 1 to 99), to lock the program's memory, each
 * page from its first use on, and, unless @taken is NULL, to keep the thread on one CPU: where it is now, or on one
 * that is not in @taken, if it may use such a one. Lists what it could not get, and why, in @missing (size bytes; "":
 * nothing). Needs capabilities. Threads started later inherit priority and CPU.
 */
void thread_reduce_latency(int priority, const cpu_set_t *taken, char *missing, size_t size);

/* Makes the calling thread's timers as exact as the kernel can. Needs no capability. */
void thread_exact_timers(void);

/* The user and the group of who has called sudo or doas. False: nobody has, or this is not root. */
bool thread_sudo_user(uid_t *user, gid_t *group);

#endif
