/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/thread.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

#include "record/process/signals.h"

#define STACK_SIZE (256 << 10)

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	rc = pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return rc;
}

void thread_begin(int not_held)
{
	signals_leave_to_sampler();
	if (not_held >= 0 && unshare(CLONE_FILES) == 0)
		close(not_held);
}

void thread_wake(int eventfd)
{
	const uint64_t one = 1;

	if (write(eventfd, &one, sizeof(one)) < 0)
		errno = 0;
}
