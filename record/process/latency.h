/* SPDX-License-Identifier: BSD-2-Clause */
/* latency.h - keeps other work of the host from making pauses longer. */
#ifndef RECORD_PROCESS_LATENCY_H
#define RECORD_PROCESS_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Tries to run the calling thread at real-time @priority (SCHED_FIFO, 1 to 99), to lock the program's memory, each
 * page from its first use on, and, if @stay, to keep the thread on the CPU where it is now. Lists what it could not
 * get, and why, in @missing (size bytes; "": nothing). Needs capabilities. Threads started later inherit priority and
 * CPU.
 */
void latency_try(int priority, bool stay, char *missing, size_t size);

/* Makes the calling thread's timers as exact as the kernel can. Needs no capability. */
void latency_exact_timers(void);

#endif
