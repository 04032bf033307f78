/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - registers and stacks as they were (FORMAT.md, "Copies"): each as what differs from the same vCPU's copy
 * before, in this block.
 */
#ifndef FORMAT_COPIES_H
#define FORMAT_COPIES_H

#include "format/columns.h"
#include "format/upf.h"

/* The last copy of each vCPU. */
struct copies;

/* An encoder's, with room for @slots copies of @words; 0 and 0: a decoder's, which grows. NULL: no memory. */
struct copies *copies_new(uint32_t slots, uint32_t words);
void copies_free(struct copies *c);
void copies_reset(struct copies *c); /* a new block */

/* --- encoding */

bool copies_fit(const struct copies *c, const struct upf_sample *s);
/* Adds to @need what copies_put() can take of each column. */
void copies_need(size_t *need, const struct upf_sample *s);
void copies_put(struct copies *c, struct column_writer *columns, const struct upf_sample *s);

/* --- decoding */

/* The next copy of a domain's vCPU; copies_tell() then has it. 0; -EBADMSG; -ENOMEM. */
int copies_get(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu);
/* The last copy of this vCPU, nothing if it has none. */
void copies_tell(const struct copies *c, uint32_t domain, uint32_t vcpu, struct upf_record *r);

#endif
