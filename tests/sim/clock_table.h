/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock_table.h - the state of a simulated clock: memory that the recorder, its watchdog and a test share. The time
 * moves only when all threads of the table wait, and then to the earliest deadline, whose thread alone goes on. It
 * never moves past the time at which the test holds it. A thread that is stopped by a signal counts as waiting; one
 * that is dead does not count.
 */
#ifndef TESTS_SIM_CLOCK_TABLE_H
#define TESTS_SIM_CLOCK_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CLOCK_THREADS 16
#define CLOCK_START_NS 1000000000000ull      /* the time at first: time 0 for a test */
#define CLOCK_REAL_NS 1767225600000000000ull /* then it is 2026-01-01 00:00:00 UTC */
#define CLOCK_FREE_NS (1000 * 1000000000ull) /* without a file a clock ends here, for a recording without an end */
#define CLOCK_HANG_S 300                     /* real time: what takes so long hangs */
#define CLOCK_KICK SIGRTMAX                  /* ends a thread's wait */

struct clock_thread {
	_Atomic pid_t tid; /* 0: the entry is free */
	pid_t pid;
	_Atomic bool waiting;
	bool expired;         /* its deadline has ended the wait */
	uint64_t deadline_ns; /* while it waits */
	const void *cond;     /* of its process, that it waits for, or NULL */
	int eventfd;          /* or -1 */
	uint64_t cpu_ns;      /* that it was charged for */
};

struct clock_table {
	pthread_mutex_t lock; /* robust: who has it may be killed */
	_Atomic uint64_t now_ns;
	_Atomic uint64_t hold_ns; /* the time does not move past this */
	_Atomic unsigned waits;   /* of the sampling thread, for its deadlines and signals */
	_Atomic unsigned steps;   /* so often it has gone on to a deadline */
	_Atomic bool began;       /* a thread has come */
	struct clock_thread threads[CLOCK_THREADS];
};

/* The table in @file, which is created if it is not there; NULL: in memory of this process and those forked later. */
struct clock_table *clock_table_map(const char *file, uint64_t hold_ns);
void clock_table_lock(struct clock_table *t);
void clock_table_unlock(struct clock_table *t);
/* With the lock held. Adds a thread that runs: its entry. */
struct clock_thread *clock_table_add(struct clock_table *t, pid_t pid, pid_t tid);
/* With the lock held. Lets the wait of another thread end. */
void clock_table_release(struct clock_thread *thread, bool expired);
/*
 * With the lock held. Moves the time if all threads wait. @look: asks the kernel about those that do not, which may be
 * stopped or dead; this takes longer.
 */
void clock_table_move(struct clock_table *t, bool look);
/* The state of a thread as in /proc, 0 if it is gone. Adds to *@switches (or NULL) how often it has lost its CPU. */
char clock_thread_state(const struct clock_thread *thread, uint64_t *switches);
/* Who waits for what, to standard error. */
void clock_table_print(const struct clock_table *t);

#endif
