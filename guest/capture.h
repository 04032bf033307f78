/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture.h - copies of the guest's memory, taken while it is paused and read after it runs again.
 *
 * A capture is a list of lines: aligned stretches of CAPTURE_LINE bytes of the guest's frames, such as page-table
 * entries and parts of stacks. The list is made from what earlier walks read. capture_copy() copies all lines of the
 * list and does nothing else, so the pause is short and its length is known. Walks then read the copies with
 * capture_read(). A line that is not on the list is noted, and capture_extend() puts it there for the next round.
 * Lines that no walk has read for two epochs (CAPTURE_EPOCH walks each) leave the list.
 *
 * One capture belongs to one vCPU; the mapped pages behind it are shared by all vCPUs of a domain.
 */
#ifndef GUEST_CAPTURE_H
#define GUEST_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/pages.h"

#define CAPTURE_LINE 64u   /* bytes */
#define CAPTURE_EPOCH 128u /* walks */

struct capture;

/* At most @lines lines are on the list. @pages must outlive the capture. NULL: errno. */
struct capture *capture_new(struct pages *pages, size_t lines);
void capture_free(struct capture *c); /* NULL is fine */

/*
 * Copies every line of the list. Makes no call, allocates nothing and decides nothing: the guest may be paused. Costs
 * about 12 instructions a line.
 */
void capture_copy(struct capture *c);

/*
 * Where memory cannot be mapped (pages_remote()), the lines of all vCPUs are copied by one call instead: those of the
 * captures that were added since the batch was cleared. At most @captures, of @lines each. NULL: errno.
 */
struct capture_batch;
struct capture_batch *capture_batch_new(struct pages *pages, size_t captures, size_t lines);
void capture_batch_free(struct capture_batch *b); /* NULL is fine */
void capture_batch_clear(struct capture_batch *b);
void capture_batch_add(struct capture_batch *b, uint32_t vcpu, struct capture *c);
/* 0, or a negative errno: no copy is of use, and the guest's memory may be elsewhere now (pages_drop()). */
int capture_batch_copy(struct capture_batch *b);

/*
 * From here on capture_read() reads lines that are not on the list, or whose copy is stale, from the mapped pages
 * themselves (@live), until it is called again with false. For walks while the guest is paused, or runs and what is
 * read may be torn.
 */
void capture_set_live(struct capture *c, bool live);

/*
 * @size bytes at @offset of @frame, which must lie in one line. 0; -EAGAIN: there is no copy, noted for
 * capture_extend(); -EIO: the frame cannot be mapped. Makes no call and allocates nothing.
 */
int capture_read(struct capture *c, uint64_t frame, uint32_t offset, void *to, uint32_t size);

/* The next walks are likely to need that line: keeps it on the list, or notes it. */
void capture_want(struct capture *c, uint64_t frame, uint32_t offset);

/*
 * The next call that maps pages, for any of the captures that share these, maps what was noted, too: one call costs
 * more than many pages.
 */
void capture_request(struct capture *c);
/* The same for @frame, of which nothing is listed. */
void capture_expect(struct capture *c, uint64_t frame);

/*
 * Maps and lists what was noted; not to be called while the guest is paused. All copies are stale then. The number of
 * new lines, or a negative errno: the hypervisor refused to map, nothing was listed.
 */
int capture_extend(struct capture *c);

/* A walk is complete: lines that none needed for long leave the list, but not before the next capture_extend(). */
void capture_age(struct capture *c);

/* Empties the list. Refused frames are tried again. */
void capture_clear(struct capture *c);

size_t capture_lines(const struct capture *c); /* on the list */

#endif
