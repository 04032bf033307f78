/* SPDX-License-Identifier: BSD-2-Clause */
/* latency.h - what keeps a pause from being longer than the work in it. */
#ifndef RECORD_PROCESS_LATENCY_H
#define RECORD_PROCESS_LATENCY_H

#include <stddef.h>

/*
 * Tries to have the calling thread run at real-time @priority (SCHED_FIFO, 1 to 99) and on the one CPU where it is
 * now, and to keep what the program has in memory there, from its first use on. What could not be had stands in
 * @missing (size bytes), with the reasons, "" if nothing. Wants capabilities; threads started later inherit the first
 * two.
 */
void latency_try(int priority, char *missing, size_t size);

/* Timers as exact as the kernel can, for the calling thread. Always to be had. */
void latency_exact_timers(void);

#endif
