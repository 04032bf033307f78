/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog.h - a second process that undoes a pause which the recorder does not end: because it died inside the pause,
 * or because it has held the pause for too long, being stopped, frozen, traced, dumping core or without a CPU.
 *
 * It is there before the first pause. It undoes only pauses that are marked as the recorder's (struct pause_mark),
 * only while the domain still has the same uuid, and each pause at most once, whatever the recorder does at that
 * moment (watch.h).
 *
 * While the recorder samples, the watchdog looks at the shared memory once in each longest pause, without any call; it
 * sleeps when no pause was begun for a while, and the next one wakes it. Nothing can be done against a watchdog that
 * is stopped together with the recorder: a freezer that holds the cgroup of both holds a guest paused too. What is left
 * behind if both are killed can be undone by pause_file.h.
 */
#ifndef RECORD_WATCHDOG_WATCHDOG_H
#define RECORD_WATCHDOG_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/hypervisor.h"
#include "record/watchdog/pause_file.h"
#include "record/watchdog/watch.h"

struct watchdog;

struct watchdog_limits {
	uint64_t max_pause_ns; /* a pause that is older is undone */
	int priority;          /* real-time priority to try for, with memory locked; 0: none */
	struct pause_file
		*file; /* where what both processes share is to be; NULL: in memory. Must outlive the watchdog */
};

/* Starts the watchdog for @n domains, before any thread is started. NULL: errno. */
struct watchdog *watchdog_start(const struct hypervisor_ops *ops, const struct guest_info *domains, size_t n,
                                const struct watchdog_limits *limits);
/* By which the pauses of domain @i are watched; valid until watchdog_stop(). */
struct watch *watchdog_watch(const struct watchdog *g, size_t i);
/* The descriptor whose closing, by the death of its last holder, tells the watchdog that the recorder is dead. */
int watchdog_fd(const struct watchdog *g);
/*
 * Domain @i came back after its end and is @info's now. Not while it is paused. Waits for the watchdog's answer: 0 or
 * a negative errno; ECHILD: the watchdog is dead. After another one it watches no domain @i.
 */
int watchdog_replace(struct watchdog *g, size_t i, const struct guest_info *info);
/* False: the watchdog itself has died; nobody would undo a pause. */
bool watchdog_alive(const struct watchdog *g);
/* Ends the watchdog; nothing may be paused any more. NULL is fine. */
void watchdog_stop(struct watchdog *g);

#endif
