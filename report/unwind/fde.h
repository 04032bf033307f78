/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fde.h - an index of the frame descriptions (FDEs) in .eh_frame and .debug_frame: which one covers an address. It is
 * made from the sections themselves, so it does not depend on .eh_frame_hdr, which may be missing or wrong.
 *
 * It lists only what libunwind can read safely. It skips descriptions that are cut short, have an unknown encoding, or
 * whose common part (CIE) is unusually long or does not begin by defining the CFA.
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
	uint64_t bias; /* of the image, to be added to absolute addresses */
};

int fde_index(struct fde_index *x, struct image *image); /* 0 or -ENOMEM */
void fde_free(struct fde_index *x);
/* The description that covers @address, or NULL. */
const struct fde *fde_find(const struct fde_index *x, uint64_t address);
/*
 * Converts a description of .debug_frame to the form of .eh_frame: appends its CIE and itself, which is at *at, to
 * @out. 0 or -ENOMEM.
 */
int fde_as_eh(const struct fde_index *x, const struct fde *fde, struct buf *out, size_t *at);

#endif
