/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - copies of registers and stacks (FORMAT.md, "Copies"): each is coded as its difference from the same
 * vCPU's last copy in this block.
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
/* Adds to @need the most bytes that copies_put() writes to each column. */
void copies_need(size_t *need, const struct upf_sample *s);
void copies_put(struct copies *c, struct column_writer *columns, const struct upf_sample *s);

/* --- decoding */

/* Decodes the next copy of a domain's vCPU, for copies_tell(). 0; -EBADMSG; -ENOMEM. */
int copies_get(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu);
/* Fills in the last copy of this vCPU; nothing if it has none. */
void copies_tell(const struct copies *c, uint32_t domain, uint32_t vcpu, struct upf_record *r);

#endif
