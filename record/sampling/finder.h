/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * finder.h - looks for domains that ended and may come back (--follow).
 *
 * A search asks the hypervisor for all domains and xenstore for their names. Either may take long, so a thread of its
 * own does it, ten times a second at first and then once a second, or less often so that it uses a twentieth of a CPU
 * at most; without real-time priority and with its own connection. The sampling thread hands over what is looked for
 * and asks whether it was found; it neither waits nor takes a lock.
 */
#ifndef RECORD_SAMPLING_FINDER_H
#define RECORD_SAMPLING_FINDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "guest/hypervisor.h"

struct finder;

/*
 * Starts the thread, for @n domains at most. It closes its copy of @not_held, the watchdog's descriptor (-1: none), so
 * that a search that hangs does not keep the watchdog from seeing this process's death. Call it before real-time
 * priority is taken: the thread would inherit it. NULL: errno.
 */
struct finder *finder_start(const struct hypervisor_ops *ops, size_t n, int not_held);
/* Ends the thread; waits a second at most for a search under way. NULL is fine. */
void finder_stop(struct finder *f);

/* Domain @i, below n, is recorded under this number: so that one is not another one that came back. 0: it ended. */
void finder_recorded(struct finder *f, size_t i, uint32_t domid);
/* Domain @i is looked for from now on; no effect if it already is. The identity is copied. */
void finder_look_for(struct finder *f, size_t i, const struct domain_identity *identity);
/* True: domain @i was found running, and is not looked for any longer. */
bool finder_found(struct finder *f, size_t i, struct guest_info *info);

/*
 * One search: a running domain with that uuid, or else that name, whose number is none of the @n in @recorded. 0;
 * -ESRCH: none; or another negative errno.
 */
int finder_search(const struct hypervisor_ops *ops, struct hypervisor *x, const struct domain_identity *identity,
                  const _Atomic uint32_t *recorded, size_t n, struct guest_info *info);

#endif
