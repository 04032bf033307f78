/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.h - a guest's pages as this program has them mapped, read-only.
 *
 * pages_find() only looks: it makes no call and allocates nothing, so it may run while the guest is paused. What it
 * did not find it notes; pages_fill() maps all that later, when the guest runs again.
 */
#ifndef GUEST_PAGES_H
#define GUEST_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "guest/hypervisor.h"

struct pages;

/* At most @limit pages are kept mapped; past that all are let go and found anew. NULL: errno. */
struct pages *pages_new(const struct hypervisor_ops *ops, struct guest *guest, size_t limit);
void pages_free(struct pages *p); /* unmaps everything; NULL is fine */

/* 0 and the page; -EAGAIN: not mapped yet, noted for pages_fill(); -EIO: the hypervisor refused to map it. */
int pages_find(struct pages *p, uint64_t frame, const void **page);
/* Maps what was noted; how many new pages there are, or a negative errno. */
int pages_fill(struct pages *p);
/* Unmaps everything, at the domain's end: a mapping would keep it alive as a zombie. */
void pages_drop(struct pages *p);
/* Forgets refusals, so that they are tried again: a frame may have become the guest's since. */
void pages_retry(struct pages *p);
/* Changes whenever pages were unmapped: what points into them is invalid then. */
uint64_t pages_generation(const struct pages *p);
size_t pages_mapped(const struct pages *p);
size_t pages_most(const struct pages *p); /* that were ever mapped at a time */

#endif
