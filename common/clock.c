/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/clock.h"

#include <errno.h>
#include <time.h>

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

void clock_sleep(uint64_t ns)
{
	const struct timespec t = clock_timespec(ns);

	nanosleep(&t, NULL);
}

int clock_wait(uint64_t deadline_ns, const sigset_t *signals)
{
	int rc;

	do {
		uint64_t now = clock_now();
		struct timespec t = clock_timespec(deadline_ns > now ? deadline_ns - now : 0);

		rc = sigtimedwait(signals, NULL, &t);
	} while (rc < 0 && errno == EINTR);
	return rc > 0 ? rc : 0;
}
