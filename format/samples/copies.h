/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - registers and copies of stacks (FORMAT.md, "Registers" and "Copies"): each is coded as its difference
 * from the same vCPU's last ones in this block.
 */
#ifndef FORMAT_SAMPLES_COPIES_H
#define FORMAT_SAMPLES_COPIES_H

#include "format/samples/columns.h"
#include "format/upf.h"

/* The last registers and copy of each vCPU. */
struct copies;

/* An encoder's, with room for @slots copies of @words; 0 and 0: a decoder's, which grows. NULL: no memory. */
struct copies *copies_new(uint32_t slots, uint32_t words);
void copies_free(struct copies *c);
void copies_reset(struct copies *c, bool v1); /* a new block; @v1: of version 1 */

/* --- encoding */

/* With a copy, or the registers alone. */
bool copies_fit(const struct copies *c, const struct upf_sample *s, bool copy);
/* @tell_number: their number, too. */
void copies_put_regs(struct copies *c, struct column_writer *columns, const struct upf_sample *s, uint32_t nregs,
                     bool tell_number);
void copies_put(struct copies *c, struct column_writer *columns, const struct upf_sample *s);

/* --- decoding */

/*
 * Decode the next registers, or copy, of a domain's vCPU, for copies_tell(). The registers: @nregs of them, 0: as the
 * trace tells. The copy: behind its registers. 0; -EBADMSG; -ENOMEM.
 */
int copies_get_regs(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu, uint32_t nregs);
int copies_get(struct copies *c, struct column_reader *columns, uint32_t domain, uint32_t vcpu);
/* Fills in the last registers of this vCPU, and the last copy if r->tops is that; nothing if it has none. */
void copies_tell(const struct copies *c, uint32_t domain, uint32_t vcpu, struct upf_record *r);

#endif
