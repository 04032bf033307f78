/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fde.h - an index of the frame descriptions (FDEs) in .eh_frame and .debug_frame: which one covers an address. It is
 * made from the sections themselves, so it does not depend on .eh_frame_hdr, which may be missing or wrong.
 *
 * It lists only what can be read safely. It skips descriptions that are cut short, have an unknown encoding, or whose
 * common part (CIE) is unusually long.
 */
#ifndef REPORT_UNWIND_FDE_H
#define REPORT_UNWIND_FDE_H

#include "format/bytes/wire.h"
#include "report/elf/image.h"
#include "report/isa/isa.h"

/* --- DWARF's signed integers of variable length, and those of the lengths that have names (DWARF 4, 7.6) --- */

static inline int64_t get_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = get_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !c->bad && shift < 70);
	if (shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

/* Of @size bytes: 2, 4, 8, or one byte for any other size. */
static inline uint64_t get_integer(struct cursor *c, unsigned size, bool is_signed)
{
	uint64_t v = size == 8 ? get_u64(c) : size == 4 ? get_u32(c) : size == 2 ? get_u16(c) : get_u8(c);
	unsigned above = size < 8 ? 64 - 8 * size : 0;

	return is_signed ? (uint64_t)((int64_t)(v << above) >> above) : v;
}

/* --- the index --- */

struct fde {
	uint64_t start, end; /* [start, end) is covered */
	uint64_t at;         /* offset in its section */
	bool debug;          /* in .debug_frame */
};

/* Zero-initialise, fde_free() at the end. */
struct fde_index {
	struct image_section eh, debug;
	struct fde *fdes; /* by start */
	size_t n, cap;
	size_t passed_over;
	const struct isa *isa;
	uint64_t bias; /* of the image, to be added to absolute addresses */
};

/* What a description says (DWARF 4, 6.4.2): the call frame instructions of its CIE, then its own. */
struct fde_program {
	struct cursor common, own; /* in the index's sections */
	unsigned column;           /* of the return address */
	uint64_t code_align;
	int64_t data_align;
	bool interrupted; /* the frame is a signal's or an interrupt's */
};

/* The image has an instruction set. 0 or -ENOMEM. */
int fde_index(struct fde_index *x, struct image *image);
void fde_free(struct fde_index *x);
/* The description that covers @address, or NULL. */
const struct fde *fde_find(const struct fde_index *x, uint64_t address);
int fde_program(const struct fde_index *x, const struct fde *fde, struct fde_program *p); /* 0 or -EBADMSG */

#endif
