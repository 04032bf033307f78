/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.h - clocks, in nanoseconds. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <signal.h>
#include <stdint.h>
#include <time.h>

uint64_t clock_read(clockid_t clock);
uint64_t clock_now(void); /* CLOCK_MONOTONIC */
uint64_t clock_cpu(void); /* CPU time that the calling thread has used */
struct timespec clock_timespec(uint64_t ns);
/* Sleeps for @ns, or less if a signal's handler runs. */
void clock_sleep(uint64_t ns);
/* Sleeps until @deadline_ns. If one of @signals, which must be blocked, is pending before: its number, else 0. */
int clock_wait(uint64_t deadline_ns, const sigset_t *signals);

#endif
