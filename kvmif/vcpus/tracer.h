/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracer.h - the thread that stops other processes' threads by ptrace. A stop that was asked for cannot be withdrawn:
 * the thread stops whenever it gets a processor again, and would wait for us. When its tracer ends, the kernel detaches
 * from it at once, whatever it is doing. So this thread ends where one does not stop in time, and a new one is begun.
 */
#ifndef KVMIF_VCPUS_TRACER_H
#define KVMIF_VCPUS_TRACER_H

#include <stdint.h>

struct tracer;

struct tracer *tracer_new(void);    /* NULL: errno */
void tracer_free(struct tracer *t); /* NULL is fine */

/*
 * Calls @work(@ctx) in the thread, and returns when that is done and, after tracer_give_up(), no thread is traced by
 * it any more. The thread has the signals, the priority, the processors and the capabilities of the caller when it was
 * begun. Adds the CPU time of @work to *cpu_ns. 0 or a negative errno.
 */
int tracer_run(struct tracer *t, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns);
/*
 * In @work: from @ns (CLOCK_MONOTONIC) on, what the thread waits for is interrupted by SIGURG, which must have a
 * handler. UINT64_MAX: not any more. In another thread this does nothing.
 */
void tracer_interrupt_at(uint64_t ns);
/* In @work: some that it traces are to be let go, stopped or not. */
void tracer_give_up(struct tracer *t);
/* Ends the thread; the next tracer_run() begins another one. */
void tracer_end(struct tracer *t);

#endif
