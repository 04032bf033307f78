/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/vcpus/tracer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"

#define KICK_NS 250000 /* between interruptions of its calls */
#define GONE_NS 20000  /* between two looks whether it is gone */

struct tracer {
	bool is_there;
	pthread_t thread;
	pid_t tid;
	sem_t begin, done;
	void (*work)(void *ctx); /* NULL: the thread is to end */
	void *ctx;
	uint64_t cpu_ns; /* that it took */
	bool gives_up;
};

struct tracer *tracer_new(void)
{
	struct tracer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	sem_init(&t->begin, 0, 0);
	sem_init(&t->done, 0, 0);
	return t;
}

static void *serve_requests(void *tracer)
{
	struct tracer *t = tracer;
	uint64_t began_ns;

	t->tid = (pid_t)syscall(SYS_gettid);
	for (;;) {
		while (sem_wait(&t->begin) != 0)
			;
		if (!t->work)
			return NULL;
		began_ns = clock_cpu();
		t->work(t->ctx);
		t->cpu_ns = clock_cpu() - began_ns;
		sem_post(&t->done);
		if (t->gives_up)
			return NULL;
	}
}

static int start_tracer(struct tracer *t)
{
	int rc;

	if (t->is_there)
		return 0;
	t->gives_up = false;
	rc = pthread_create(&t->thread, NULL, serve_requests, t);
	t->is_there = rc == 0;
	return -rc;
}

/* It can be joined before the kernel has detached it. */
static void join_thread(struct tracer *t)
{
	pthread_join(t->thread, NULL);
	while (syscall(SYS_tgkill, getpid(), t->tid, 0) == 0)
		clock_sleep(GONE_NS);
	t->is_there = false;
}

void tracer_end(struct tracer *t)
{
	if (!t || !t->is_there)
		return;
	t->work = NULL;
	sem_post(&t->begin);
	join_thread(t);
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	tracer_end(t);
	sem_destroy(&t->begin);
	sem_destroy(&t->done);
	free(t);
}

void tracer_give_up(struct tracer *t)
{
	t->gives_up = true;
}

/* Signals of others interrupt the wait, too. */
static bool is_done(struct tracer *t)
{
	struct timespec until = clock_timespec(clock_now() + KICK_NS);

	while (sem_clockwait(&t->done, CLOCK_MONOTONIC, &until) != 0)
		if (errno != EINTR)
			return false;
	return true;
}

int tracer_run(struct tracer *t, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns)
{
	int rc = start_tracer(t);

	if (rc != 0)
		return rc;
	t->work = work;
	t->ctx = ctx;
	sem_post(&t->begin);
	while (!is_done(t))
		pthread_kill(t->thread, SIGURG);
	*cpu_ns += t->cpu_ns;
	if (t->gives_up)
		join_thread(t);
	return 0;
}
