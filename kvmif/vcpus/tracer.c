/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/vcpus/tracer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

#ifndef sigev_notify_thread_id /* glibc has only the member */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Between interruptions: one may come just before a call. On a slow host each takes a part of this. */
#define AGAIN_NS 500000
#define GONE_NS 20000 /* between two looks whether it is gone */

struct tracer {
	bool is_there;
	pthread_t thread;
	pid_t tid;
	sem_t begin, done;
	void (*work)(void *ctx); /* NULL: the thread is to end */
	void *ctx;
	uint64_t cpu_ns; /* that it took */
	bool gives_up;
	bool has_timer; /* which interrupts its calls, */
	timer_t timer;
	uint64_t interrupt_ns; /* from this time on */
};

static _Thread_local struct tracer *own; /* of this thread */

struct tracer *tracer_new(void)
{
	struct tracer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	sem_init(&t->begin, 0, 0);
	sem_init(&t->done, 0, 0);
	return t;
}

static bool make_timer(struct tracer *t)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG, .sigev_notify_thread_id = t->tid};

	t->interrupt_ns = UINT64_MAX;
	return timer_create(CLOCK_MONOTONIC, &e, &t->timer) == 0;
}

void tracer_interrupt_at(uint64_t ns)
{
	struct itimerspec to = {.it_interval.tv_nsec = AGAIN_NS};

	if (!own || own->interrupt_ns == ns)
		return;
	own->interrupt_ns = ns;
	if (ns != UINT64_MAX)
		to.it_value = clock_timespec(ns);
	timer_settime(own->timer, TIMER_ABSTIME, &to, NULL);
}

static void work_once(struct tracer *t)
{
	const uint64_t began_ns = clock_cpu();

	t->work(t->ctx);
	tracer_interrupt_at(UINT64_MAX);
	t->cpu_ns = clock_cpu() - began_ns;
}

static void *serve_requests(void *tracer)
{
	own = tracer;
	own->tid = (pid_t)syscall(SYS_gettid);
	own->has_timer = make_timer(own);
	for (;;) {
		while (sem_wait(&own->begin) != 0)
			;
		if (own->work && own->has_timer)
			work_once(own);
		if (!own->work || !own->has_timer || own->gives_up)
			break;
		sem_post(&own->done);
	}
	if (own->has_timer)
		timer_delete(own->timer);
	if (own->work)
		sem_post(&own->done);
	return NULL;
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

int tracer_run(struct tracer *t, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns)
{
	int rc = start_tracer(t);

	if (rc != 0)
		return rc;
	t->work = work;
	t->ctx = ctx;
	sem_post(&t->begin);
	/* The watchdog's signal is for that thread. */
	while (sem_wait(&t->done) != 0)
		pthread_kill(t->thread, SIGURG);
	if (t->has_timer)
		*cpu_ns += t->cpu_ns;
	else
		rc = -EAGAIN;
	if (t->gives_up || !t->has_timer)
		join_thread(t);
	return rc;
}
