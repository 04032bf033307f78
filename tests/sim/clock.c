/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/sim/clock_table.h"

/* The linker's names for what a call of a function gets to, and for the function itself. */
#define SEAM(type, name, ...) \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)
SEAM(uint64_t, clock_read, clockid_t clock);
SEAM(uint64_t, clock_now, void);
SEAM(uint64_t, clock_cpu, void);
SEAM(void, clock_sleep, uint64_t ns);
SEAM(int, clock_wait, uint64_t deadline_ns, const sigset_t *signals);
SEAM(int, clock_poll, struct pollfd *fds, nfds_t n, uint64_t deadline_ns);
SEAM(int, clock_await, pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns);
SEAM(void, clock_signal, pthread_cond_t *cond);
SEAM(void, clock_wake, int eventfd);
SEAM(int, clock_thread, pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg);

#define LOOK_MS 1      /* real time: a thread that waits looks for stopped ones after so long, */
#define LOOK_MAX_MS 32 /* then after twice as long, up to this */

static struct clock_table *table; /* NULL: real time */
static bool is_free;              /* no test holds it */
static _Thread_local struct clock_thread *self;

/* --- this thread ------------------------------------------------------------------------------------------------- */

static void ignore(int number)
{
	(void)number;
}

static void forget_parent(void)
{
	self = NULL;
}

__attribute__((constructor)) static void find_clock(void)
{
	const struct sigaction kicked = {.sa_handler = ignore};
	const char *name = getenv("UNIPROF_SIM_CLOCK");

	if (!name || !*name)
		return;
	is_free = strcmp(name, "free") == 0;
	table = clock_table_map(is_free ? NULL : name, CLOCK_START_NS + (is_free ? CLOCK_FREE_NS : 0));
	sigaction(CLOCK_KICK, &kicked, NULL);
	pthread_atfork(NULL, NULL, forget_parent);
}

/* What releases a thread is pending until it waits. */
static void block_kick(void)
{
	sigset_t kick;

	sigemptyset(&kick);
	sigaddset(&kick, CLOCK_KICK);
	pthread_sigmask(SIG_BLOCK, &kick, NULL);
}

static struct clock_thread *this_thread(void)
{
	if (!self) {
		block_kick();
		clock_table_lock(table);
		self = clock_table_add(table, getpid(), gettid());
		clock_table_unlock(table);
	}
	return self;
}

struct start {
	void *(*run)(void *arg);
	void *arg;
	struct clock_thread *entry;
};

static void leave(struct clock_thread *thread)
{
	clock_table_lock(table);
	thread->tid = 0;
	clock_table_move(table, false);
	clock_table_unlock(table);
}

static void *run_thread(void *arg)
{
	struct start start = *(struct start *)arg;
	void *result;

	free(arg);
	block_kick();
	self = start.entry;
	self->tid = gettid();
	result = start.run(start.arg);
	leave(self);
	return result;
}

/* It counts from here on, not only when the kernel lets it run: until then its number is its creator's. */
int __wrap_clock_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg)
{
	struct start *start;
	int rc;

	if (!table)
		return __real_clock_thread(thread, attr, run, arg);
	start = malloc(sizeof(*start));
	if (!start)
		return ENOMEM;
	this_thread();
	clock_table_lock(table);
	*start = (struct start){run, arg, clock_table_add(table, getpid(), gettid())};
	clock_table_unlock(table);
	rc = __real_clock_thread(thread, attr, run_thread, start);
	if (rc != 0) {
		leave(start->entry);
		free(start);
	}
	return rc;
}

/* --- waiting ----------------------------------------------------------------------------------------------------- */

struct wait {
	uint64_t deadline_ns;
	pthread_cond_t *cond; /* with its lock */
	pthread_mutex_t *lock;
	struct pollfd *fds; /* of which an eventfd is the last */
	nfds_t n;
	const sigset_t *signals;
};

/* What has come without the clock: above 0, as of poll() or sigtimedwait(). Waits @ms of real time for it. */
static int look_outside(const struct wait *w, int ms)
{
	const struct timespec t = clock_timespec((uint64_t)ms * 1000000);
	sigset_t mask;
	int rc;

	if (w->signals) {
		mask = *w->signals;
		sigaddset(&mask, CLOCK_KICK);
		rc = sigtimedwait(&mask, NULL, &t);
		return rc == CLOCK_KICK ? 0 : rc;
	}
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, CLOCK_KICK);
	return ppoll(w->fds, w->n, &t, &mask);
}

/* The entry says that it waits before it looks, so that who wakes it afterwards finds it waiting. */
static int begin_wait(struct clock_thread *me, const struct wait *w)
{
	int rc;

	clock_table_lock(table);
	me->deadline_ns = w->deadline_ns;
	me->cond = w->cond;
	me->eventfd = w->n ? w->fds[w->n - 1].fd : -1;
	me->expired = false;
	me->waiting = true;
	rc = w->n || w->signals ? look_outside(w, 0) : 0;
	if (rc > 0)
		me->waiting = false;
	else
		clock_table_move(table, false);
	clock_table_unlock(table);
	return rc;
}

static void end_wait(struct clock_thread *me)
{
	clock_table_lock(table);
	me->waiting = false;
	clock_table_unlock(table);
}

/* Somebody may be stopped or dead. If the time stands still for long, though the test does not hold it: a hang. */
static void look_for_stopped(uint64_t *seen_ns, uint64_t *since_ns)
{
	clock_table_lock(table);
	clock_table_move(table, true);
	clock_table_unlock(table);
	if (table->now_ns != *seen_ns || (table->now_ns >= table->hold_ns && !is_free))
		*since_ns = __real_clock_now();
	*seen_ns = table->now_ns;
	if (__real_clock_now() - *since_ns > CLOCK_HANG_S * 1000000000ull) {
		clock_table_print(table);
		abort();
	}
}

/* Above 0: what has come from outside. 0: the deadline, if me->expired, or another thread has ended the wait. */
static int wait_for(struct clock_thread *me, const struct wait *w)
{
	uint64_t since_ns = __real_clock_now(), seen_ns = 0;
	int rc = begin_wait(me, w);

	if (w->lock)
		pthread_mutex_unlock(w->lock);
	for (int ms = LOOK_MS; rc <= 0 && me->waiting; ms = ms < LOOK_MAX_MS ? 2 * ms : ms) {
		rc = look_outside(w, ms);
		if (rc > 0)
			end_wait(me);
		else if (me->waiting)
			look_for_stopped(&seen_ns, &since_ns);
	}
	if (w->lock)
		pthread_mutex_lock(w->lock);
	return rc > 0 ? rc : 0;
}

void __wrap_clock_sleep(uint64_t ns)
{
	if (table)
		wait_for(this_thread(), &(struct wait){.deadline_ns = table->now_ns + ns});
	else
		__real_clock_sleep(ns);
}

/* Without a deadline it waits for a command, whose time is real; so this thread runs, which holds the time. */
int __wrap_clock_wait(uint64_t deadline_ns, const sigset_t *signals)
{
	const struct wait w = {.deadline_ns = deadline_ns, .signals = signals};
	int rc;

	if (!table || deadline_ns == CLOCK_NEVER)
		return __real_clock_wait(deadline_ns, signals);
	table->waits += deadline_ns > 0;
	rc = deadline_ns ? wait_for(this_thread(), &w) : look_outside(&w, 0);
	return rc > 0 ? rc : 0;
}

int __wrap_clock_poll(struct pollfd *fds, nfds_t n, uint64_t deadline_ns)
{
	const struct wait w = {.deadline_ns = deadline_ns, .fds = fds, .n = n};
	int rc;

	if (!table)
		return __real_clock_poll(fds, n, deadline_ns);
	rc = wait_for(this_thread(), &w);
	return rc > 0 || self->expired ? rc : poll(fds, n, 0); /* clock_wake() */
}

int __wrap_clock_await(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t deadline_ns)
{
	const struct wait w = {.deadline_ns = deadline_ns, .cond = cond, .lock = lock};

	if (!table)
		return __real_clock_await(cond, lock, deadline_ns);
	wait_for(this_thread(), &w);
	return self->expired ? ETIMEDOUT : 0;
}

/* --- waking ------------------------------------------------------------------------------------------------------ */

/* From here on they run, as the time must not move before the kernel lets them. */
static void release_waiting(const pthread_cond_t *cond, int eventfd)
{
	this_thread();
	clock_table_lock(table);
	for (size_t i = 0; i < CLOCK_THREADS; i++) {
		struct clock_thread *t = &table->threads[i];

		if (t->tid && t->waiting && (cond ? t->cond == cond && t->pid == self->pid : t->eventfd == eventfd))
			clock_table_release(t, false);
	}
	clock_table_unlock(table);
}

void __wrap_clock_signal(pthread_cond_t *cond)
{
	if (table)
		release_waiting(cond, -1);
	else
		__real_clock_signal(cond);
}

void __wrap_clock_wake(int eventfd)
{
	__real_clock_wake(eventfd);
	if (table)
		release_waiting(NULL, eventfd);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

uint64_t __wrap_clock_now(void)
{
	if (!table)
		return __real_clock_now();
	this_thread();
	return table->now_ns;
}

uint64_t __wrap_clock_cpu(void)
{
	return table ? this_thread()->cpu_ns : __real_clock_cpu();
}

uint64_t __wrap_clock_read(clockid_t clock)
{
	if (!table)
		return __real_clock_read(clock);
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return __wrap_clock_cpu();
	return __wrap_clock_now() + (clock == CLOCK_REALTIME ? CLOCK_REAL_NS - CLOCK_START_NS : 0);
}

bool sim_clock_is_on(void)
{
	return table != NULL;
}

void sim_clock_spend(uint64_t ns)
{
	if (!table || !ns)
		return;
	__wrap_clock_sleep(ns);
	self->cpu_ns += ns;
}
