/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crew.h - jobs done by several threads, their results taken in the order in which they were given: whatever the number of
 * threads, the outcome is the same.
 *
 * There is a slot for each job under way, used in turn. Whoever gives jobs does, over and over:
 *
 *	slot = crew_turn(c);        the last job in it is done now
 *	take the result of that job, put a new one in
 *	crew_give(c);
 *
 * and at the end crew_turn() and crew_pass() once for every slot, then crew_end(). While it would wait, it does jobs itself.
 */
#ifndef REPORT_CREW_H
#define REPORT_CREW_H

#include <stddef.h>

struct crew;

/* @work does the job in a slot, on any of the @helpers threads or the caller's. NULL: errno. */
struct crew *crew_start(unsigned helpers, size_t slots, void (*work)(void *ctx, size_t slot), void *ctx);
/* Returns when the job in the slot whose turn it is has been done: its number. */
size_t crew_turn(struct crew *c);
void crew_give(struct crew *c); /* there is a new job in it */
void crew_pass(struct crew *c); /* there is none */
/* Waits until all that was given is done. NULL is fine. */
void crew_end(struct crew *c);

/* CPUs this process may run on. */
unsigned crew_cpus(void);

#endif
