/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/thread.h"

#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/parse.h"
#include "record/process/signals.h"

#define STACK_SIZE (256 << 10)

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	rc = clock_thread(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return rc;
}

void thread_begin(int not_held)
{
	signals_leave_to_sampler();
	if (not_held >= 0 && unshare(CLONE_FILES) == 0)
		close(not_held);
}

void thread_exact_timers(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul);
}

void thread_small_pages(void)
{
	prctl(PR_SET_THP_DISABLE, 1ul, 0ul, 0ul, 0ul);
}

/* Best effort. */
static void leave_cpus(const cpu_set_t *taken)
{
	cpu_set_t may, those, free;

	if (sched_getaffinity(0, sizeof(may), &may) != 0)
		return;
	CPU_AND(&those, &may, taken);
	CPU_XOR(&free, &may, &those);
	if (CPU_COUNT(&free) > 0)
		sched_setaffinity(0, sizeof(free), &free);
}

/* A thread that moves to another CPU has cold caches there, perhaps while the guest is paused. */
static int stay_on_one(const cpu_set_t *taken)
{
	cpu_set_t here;
	int cpu;

	leave_cpus(taken);
	cpu = sched_getcpu();
	if (cpu < 0)
		return -1;
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	return sched_setaffinity(0, sizeof(here), &here);
}

static void note_failure(int rc, const char *what, char *missing, size_t size)
{
	size_t len = strlen(missing);

	if (rc != 0)
		snprintf(missing + len, size - len, "%s%s (%s)", len ? ", " : "", what, strerror(errno));
}

void thread_reduce_latency(int priority, const cpu_set_t *taken, char *missing, size_t size)
{
	const struct sched_param param = {.sched_priority = priority};

	missing[0] = '\0';
	note_failure(sched_setscheduler(0, SCHED_FIFO, &param), "real-time priority", missing, size);
	/* Only the present memory: without capabilities, locking more could fail, and then so would allocations. */
	note_failure(mlockall(MCL_CURRENT | MCL_ONFAULT), "locked memory", missing, size);
	if (taken)
		note_failure(stay_on_one(taken), "a CPU of its own", missing, size);
}

bool thread_sudo_user(uid_t *user, gid_t *group)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID"), *name = getenv("DOAS_USER");
	const struct passwd *by_doas = geteuid() == 0 && name ? getpwnam(name) : NULL;
	uint64_t uid, gid;

	if (by_doas) {
		*user = by_doas->pw_uid;
		*group = by_doas->pw_gid;
		return true;
	}
	if (geteuid() != 0 || !u || !g || parse_u64(u, 0, UINT32_MAX - 1, &uid) != 0 ||
	    parse_u64(g, 0, UINT32_MAX - 1, &gid) != 0)
		return false;
	*user = (uid_t)uid;
	*group = (gid_t)gid;
	return true;
}
