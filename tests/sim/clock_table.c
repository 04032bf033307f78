/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/clock_table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
	perror(what);
	_exit(99);
}

static void init_table(struct clock_table *t, uint64_t hold_ns)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&t->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	t->hold_ns = hold_ns;
	t->now_ns = CLOCK_START_NS;
}

struct clock_table *clock_table_map(const char *file, uint64_t hold_ns)
{
	int fd = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	struct clock_table *t;

	if (file && (fd < 0 || ftruncate(fd, sizeof(*t)) != 0))
		fail(file);
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | (file ? 0 : MAP_ANONYMOUS), fd, 0);
	if (t == MAP_FAILED)
		fail("the simulated clock");
	if (fd >= 0)
		close(fd);
	if (!t->now_ns)
		init_table(t, hold_ns);
	return t;
}

void clock_table_lock(struct clock_table *t)
{
	if (pthread_mutex_lock(&t->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&t->lock);
}

void clock_table_unlock(struct clock_table *t)
{
	pthread_mutex_unlock(&t->lock);
}

struct clock_thread *clock_table_add(struct clock_table *t, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < CLOCK_THREADS; i++) {
		struct clock_thread *thread = &t->threads[i];

		if (thread->tid)
			continue;
		thread->pid = pid;
		thread->waiting = false;
		thread->cpu_ns = 0;
		thread->tid = tid;
		t->began = true;
		return thread;
	}
	clock_table_print(t);
	fail("the simulated clock has no room for another thread");
}

char clock_thread_state(const struct clock_thread *thread, uint64_t *switches)
{
	char path[64], line[256], state = 0;
	unsigned long long n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)thread->pid, (int)thread->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &state);
		if (switches && (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
		                 sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1))
			*switches += n;
	}
	if (f)
		fclose(f);
	return state;
}

/* It runs, as the table has it; may the time move all the same? */
static bool is_stopped(struct clock_thread *thread)
{
	const char state = clock_thread_state(thread, NULL);

	if (state == 0 || state == 'Z' || state == 'X')
		thread->tid = 0;
	return thread->tid == 0 || state == 'T' || state == 't';
}

void clock_table_release(struct clock_thread *thread, bool expired)
{
	thread->expired = expired;
	thread->waiting = false;
	if (thread->tid != gettid() && syscall(SYS_tgkill, thread->pid, thread->tid, CLOCK_KICK) != 0)
		thread->tid = 0; /* it is dead */
}

void clock_table_move(struct clock_table *t, bool look)
{
	struct clock_thread *next = NULL;

	for (size_t i = 0; i < CLOCK_THREADS; i++) {
		struct clock_thread *thread = &t->threads[i];

		if (!thread->tid)
			continue;
		if (!thread->waiting && !(look && is_stopped(thread)))
			return;
		if (thread->waiting && (!next || thread->deadline_ns < next->deadline_ns))
			next = thread;
	}
	if (!next || next->deadline_ns > t->hold_ns)
		return;
	if (next->deadline_ns > t->now_ns)
		t->now_ns = next->deadline_ns;
	t->steps++;
	clock_table_release(next, true);
}

void clock_table_print(const struct clock_table *t)
{
	dprintf(STDERR_FILENO, "simulated clock: %.9f s, held at %.9f s\n", (double)(t->now_ns - CLOCK_START_NS) / 1e9,
	        (double)(t->hold_ns - CLOCK_START_NS) / 1e9);
	for (size_t i = 0; i < CLOCK_THREADS; i++) {
		const struct clock_thread *thread = &t->threads[i];

		if (thread->tid)
			dprintf(STDERR_FILENO, "  process %d, thread %d: %s, deadline %.9f s; kernel: %c\n",
			        thread->pid, thread->tid,
			        thread->waiting ? (thread->cond           ? "waits for another thread"
			                           : thread->eventfd >= 0 ? "waits for a descriptor"
			                                                  : "waits")
			                        : "runs",
			        (double)(thread->deadline_ns - CLOCK_START_NS) / 1e9,
			        clock_thread_state(thread, NULL));
	}
}
