/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.h - the guest's pages that this program has mapped, read-only.
 *
 * pages_find() makes no call and allocates nothing, so it may run while the guest is paused. It remembers the pages
 * that it did not find; pages_fill() maps these later, while the guest runs.
 */
#ifndef GUEST_PAGES_H
#define GUEST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "guest/hypervisor.h"

struct pages;

/*
 * At most @limit pages stay mapped; when that is reached, all are unmapped, and mapped again as needed. NULL: errno.
 */
struct pages *pages_new(const struct memory_ops *ops, struct guest *guest, size_t limit);
/* Other pages of the same guest, likewise. */
struct pages *pages_beside(const struct pages *p, size_t limit);
void pages_free(struct pages *p); /* unmaps all pages; NULL is fine */

/* 0 and the page; -EAGAIN: not mapped yet, pages_fill() will map it; -EIO: the hypervisor refused to map it. */
int pages_find(struct pages *p, uint64_t frame, const void **page);
/*
 * Is a page the hypervisor's own address of it, which only pages_copy() and pages_read() may use (struct
 * hypervisor_ops, copy)? Else it is mapped.
 */
bool pages_remote(const struct pages *p);
/* Before the next pause: what pages_copy() will be asked for first, by vCPU (struct memory_ops, plan). */
void pages_plan(struct pages *p, uint32_t vcpu, const struct iovec *to, const struct iovec *from, size_t nfrom);
/* Fills the pieces of @to one after the other from those of @from, by one call. 0 or a negative errno. */
int pages_copy(struct pages *p, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom);
/* @size bytes at @offset of @page. 0; -EIO: they cannot be read. */
int pages_read(struct pages *p, const void *page, uint32_t offset, void *to, uint32_t size);
/* Maps the pages that were missing. Returns how many are new, or a negative errno. */
int pages_fill(struct pages *p);
/* Unmaps all pages, when the domain ends: a mapping would keep it as a zombie. */
void pages_drop(struct pages *p);
/* Tries refused pages again when they are next looked for: a frame may belong to the guest by now. */
void pages_retry(struct pages *p);
/* Changes whenever pages were unmapped: what points into them is invalid then. */
uint64_t pages_generation(const struct pages *p);
size_t pages_mapped(const struct pages *p);
size_t pages_most(const struct pages *p); /* the most that were mapped at a time */

#endif
