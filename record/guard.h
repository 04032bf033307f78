/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.h - a second process that unpauses a guest if this one dies inside the pause.
 *
 * It is there before the first pause and sleeps until this program ends, or tells it of another domain. It unpauses only
 * what is marked as paused by us (struct xenif_mark), only while uuid and domid still fit, and only what is paused.
 */
#ifndef RECORD_GUARD_H
#define RECORD_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "xenif/xenif.h"

struct guard;

/* Starts the guard for @n domains (before any thread is started). NULL: errno. */
struct guard *guard_start(const struct xenif_ops *ops, const struct guest_info *domains, size_t n);
/* Where the pauses of @domain are to be marked, before the first of them; to be used until guard_stop(). */
struct xenif_mark *guard_mark(const struct guard *g, size_t domain);
/* The descriptor whose closing, by the death of its last holder, wakes the guard. */
int guard_fd(const struct guard *g);
/* @domain is another one now, which came back after its end: not to be called while it is paused. 0 or a negative errno. */
int guard_watch(struct guard *g, size_t domain, const struct guest_info *info);
/* False: the guard itself has died; nobody would undo a pause. */
bool guard_alive(const struct guard *g);
/* Ends the guard: no pause is held any more. */
void guard_stop(struct guard *g);

#endif
