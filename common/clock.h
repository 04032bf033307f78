/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.h - clocks, in nanoseconds, and all that waits for a time. uniprof-record reads no other clock and has no other
 * wait with a timeout, so that a test can run it on a clock of its own (tests/sim/clock.c); so what ends such a wait is
 * here, too. A deadline is of CLOCK_MONOTONIC.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NEVER UINT64_MAX /* as a deadline: none */

uint64_t clock_read(clockid_t clock);
uint64_t clock_now(void); /* CLOCK_MONOTONIC */
uint64_t clock_cpu(void); /* CPU time that the calling thread has used */
struct timespec clock_timespec(uint64_t ns);
/* Sleeps for @ns, or less if a signal's handler runs. */
void clock_sleep(uint64_t ns);
/* Sleeps until @deadline_ns. If one of @signals, which must be blocked, is pending before: its number, else 0. */
int clock_wait(uint64_t deadline_ns, const sigset_t *signals);
/* As poll(). */
int clock_poll(struct pollfd *fds, nfds_t n, uint64_t deadline_ns);
/* As pthread_cond_clockwait(): 0 or ETIMEDOUT. clock_signal() ends one such wait; call it with the lock held. */
int clock_await(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns);
void clock_signal(pthread_cond_t *cond);
/* Adds 1 to an eventfd, which would only block at 2^64. */
void clock_wake(int eventfd);
/* As pthread_create(), for a thread that uses these functions. */
int clock_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg);

#endif
