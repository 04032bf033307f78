/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.h - a simulated clock, with which uniprof-record-sim is linked in place of common/clock.h's (ld --wrap).
 * Without UNIPROF_SIM_CLOCK in the environment time is real. Else it moves as clock_table.h says, and only then:
 *   UNIPROF_SIM_CLOCK=FILE  the clock is in FILE, and held at its beginning until the test lets it go (simclock)
 *   UNIPROF_SIM_CLOCK=free  nobody holds it: for recordings that end by themselves
 * A thread that waits for a program outside (a pipe, a command) holds the time, too: those have the real one.
 */
#ifndef TESTS_SIM_CLOCK_H
#define TESTS_SIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Weak where they are used: programs with the real clock have none. */
__attribute__((weak)) bool sim_clock_is_on(void);
/* The calling thread computes for so long; meanwhile others go on. */
__attribute__((weak)) void sim_clock_spend(uint64_t ns);

#endif
