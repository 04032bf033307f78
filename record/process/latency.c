/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/latency.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

void latency_exact_timers(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul);
}

/* A thread that moves to another CPU has cold caches there, perhaps while the guest is paused. */
static int stay_here(void)
{
	int cpu = sched_getcpu();
	cpu_set_t here;

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

void latency_try(int priority, bool stay, char *missing, size_t size)
{
	const struct sched_param param = {.sched_priority = priority};

	missing[0] = '\0';
	note_failure(sched_setscheduler(0, SCHED_FIFO, &param), "real-time priority", missing, size);
	/* Only the present memory: without capabilities, locking more could fail, and then so would allocations. */
	note_failure(mlockall(MCL_CURRENT | MCL_ONFAULT), "locked memory", missing, size);
	if (stay)
		note_failure(stay_here(), "a CPU of its own", missing, size);
}
