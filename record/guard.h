/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.h - a second process that unpauses a guest if this one dies inside the pause.
 *
 * It is there before the first pause and sleeps until this program ends. It costs a store before each pause and one
 * after. It unpauses only what was marked held, only while uuid and domid still fit, and only what is paused.
 */
#ifndef RECORD_GUARD_H
#define RECORD_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "xenif/xenif.h"

struct guard;

/* Starts the guard for @n domains (before any thread is started). NULL: errno. */
struct guard *guard_start(const struct xenif_ops *ops, const struct guest_info *domains, size_t n);
void guard_hold(struct guard *g, size_t domain);    /* just before a pause */
void guard_release(struct guard *g, size_t domain); /* just after the unpause */
/* The descriptor whose closing, by the death of its last holder, wakes the guard. */
int guard_fd(const struct guard *g);
/* False: the guard itself has died; nobody would undo a pause. */
bool guard_alive(const struct guard *g);
/* Ends the guard: no pause is held any more. */
void guard_stop(struct guard *g);

#endif
