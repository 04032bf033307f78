/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/clock.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull

uint64_t clock_read(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_cpu(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* NULL: for ever. */
static const struct timespec *time_left(uint64_t deadline_ns, struct timespec *left)
{
	uint64_t now = clock_now();

	*left = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);
	return deadline_ns == CLOCK_NEVER ? NULL : left;
}

void clock_sleep(uint64_t ns)
{
	const struct timespec t = clock_timespec(ns);

	nanosleep(&t, NULL);
}

int clock_wait(uint64_t deadline_ns, const sigset_t *signals)
{
	struct timespec t;
	int rc;

	do
		rc = sigtimedwait(signals, NULL, time_left(deadline_ns, &t));
	while (rc < 0 && errno == EINTR);
	return rc > 0 ? rc : 0;
}

int clock_poll(struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	struct timespec t;

	return ppoll(fds, n, time_left(deadline_ns, &t), NULL);
}

int clock_await(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns)
{
	const struct timespec deadline = clock_timespec(deadline_ns);

	return deadline_ns == CLOCK_NEVER ? pthread_cond_wait(cond, lock)
	                                  : pthread_cond_clockwait(cond, lock, CLOCK_MONOTONIC, &deadline);
}

void clock_signal(pthread_cond_t *cond)
{
	pthread_cond_signal(cond);
}

void clock_wake(int eventfd)
{
	const uint64_t one = 1;

	if (write(eventfd, &one, sizeof(one)) < 0)
		errno = 0;
}

int clock_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg)
{
	return pthread_create(thread, attr, run, arg);
}
