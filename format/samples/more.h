/* SPDX-License-Identifier: BSD-2-Clause */
/* more.h - what few samples have: a mode of their own, an address space, a link register (FORMAT.md, "More"). */
#ifndef FORMAT_SAMPLES_MORE_H
#define FORMAT_SAMPLES_MORE_H

#include "format/samples/columns.h"
#include "format/upf.h"

/* The address spaces and link registers of a block so far; the same in encoder and decoder. */
struct more;

/* An encoder's, for stacks of nodes below @nodes; 0: a decoder's, which grows. NULL: no memory. */
struct more *more_new(uint32_t nodes);
void more_free(struct more *m);
void more_reset(struct more *m); /* a new block */

/* What a sample has of it. */
struct more_values {
	uint64_t root, link;
	uint8_t mode;
	bool has_regs;
};

/* --- encoding */

bool more_has_room(const struct more *m, size_t samples);
/* @leaf: the stack's node, of address @address. */
void more_put(struct more *m, struct column_writer *columns, uint32_t leaf, uint64_t address,
              const struct more_values *v);

/* --- decoding */

/* Of a sample whose stack is the node @leaf, of address @address. 0; -EBADMSG; -ENOMEM. */
int more_get(struct more *m, struct column_reader *columns, uint32_t leaf, uint64_t address, struct more_values *v);

/*
 * A number, MORE_TOPS_FROM or above, for a window or none, number @top, that came with @v's link register and mode:
 * the same for the same. 0 or -ENOMEM.
 */
#define MORE_TOPS_FROM (1u << 31)
int more_top(struct more *m, uint32_t top, const struct more_values *v, uint32_t *number);

#endif
