/* SPDX-License-Identifier: BSD-2-Clause */
/* latency.h - keeps other work of the host from making pauses longer. */
#ifndef RECORD_PROCESS_LATENCY_H
#define RECORD_PROCESS_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Tries to give the calling thread real-time @priority (SCHED_FIFO, 1 to 99), if @stay to bind it to the CPU that it
 * runs on, and to lock all memory that the program has now, each page from its first use. What failed is listed in @missing
 * (@size bytes) with the reasons; "" if nothing. Needs capabilities. Threads started later inherit priority and CPU.
 */
void latency_try(int priority, bool stay, char *missing, size_t size);

/* Makes the calling thread's timers as exact as the kernel can. Needs no capability. */
void latency_exact_timers(void);

#endif
