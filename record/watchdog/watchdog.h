/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watchdog.h - a second process that unpauses a guest if this one dies inside the pause.
 *
 * It is there before the first pause and sleeps until this program ends, or tells it of another domain. It unpauses
 * only what is marked as paused by us (struct pause_mark), only while uuid and domid still fit, and only what is
 * paused.
 */
#ifndef RECORD_WATCHDOG_WATCHDOG_H
#define RECORD_WATCHDOG_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/hypervisor.h"

struct watchdog;

/* Starts the watchdog for @n domains (before any thread is started). NULL: errno. */
struct watchdog *watchdog_start(const struct hypervisor_ops *ops, const struct guest_info *domains, size_t n);
/* Where the pauses of @domain are to be marked, before the first of them; to be used until watchdog_stop(). */
struct pause_mark *watchdog_mark(const struct watchdog *g, size_t domain);
/* The descriptor whose closing, by the death of its last holder, wakes the watchdog. */
int watchdog_fd(const struct watchdog *g);
/*
 * @domain is another one now, which came back after its end: not to be called while it is paused. 0 or a negative
 * errno.
 */
int watchdog_watch(struct watchdog *g, size_t domain, const struct guest_info *info);
/* False: the watchdog itself has died; nobody would undo a pause. */
bool watchdog_alive(const struct watchdog *g);
/* Ends the watchdog: no pause is held any more. */
void watchdog_stop(struct watchdog *g);

#endif
