/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fde.h - an index of the frame descriptions (FDEs) in .eh_frame and .debug_frame: which one covers an address. Made
 * from the sections themselves, so that an image without .eh_frame_hdr, or with a wrong one, is no worse.
 *
 * Only what libunwind can be trusted with is listed: descriptions cut short, of encodings not known, or whose common
 * part (CIE) does not begin by saying where the frame is, are passed over.
 */
#ifndef REPORT_UNWIND_FDE_H
#define REPORT_UNWIND_FDE_H

#include "common/buf.h"
#include "report/binary/image.h"

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
	uint64_t bias; /* of the image: what absolute addresses lack */
};

int fde_index(struct fde_index *x, struct image *image); /* 0 or -ENOMEM */
void fde_free(struct fde_index *x);
/* The description that covers @address, or NULL. */
const struct fde *fde_find(const struct fde_index *x, uint64_t address);
/*
 * A description of .debug_frame in the form of .eh_frame: its CIE into @out, then itself, at *at. 0 or -ENOMEM.
 */
int fde_as_eh(const struct fde_index *x, const struct fde *fde, struct buf *out, size_t *at);

#endif
