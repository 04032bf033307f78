/* SPDX-License-Identifier: BSD-2-Clause */
/* tables_reader.h - what reads unwind tables, behind tables.h, which says what these functions return. */
#ifndef REPORT_UNWIND_TABLES_READER_H
#define REPORT_UNWIND_TABLES_READER_H

#include "report/elf/image.h"
#include "report/unwind/memory.h"

struct tables;

struct tables_reader {
	int (*row)(struct tables *t, uint64_t address, struct cfi_row *row);
	/* NULL: rows say all; row() never returns -ENOTSUP. */
	int (*step)(struct tables *t, uint64_t address, struct registers *r, const struct memory *m);
	void (*free)(struct tables *t);
};

/* The first member of what a reader keeps. */
struct tables {
	const struct tables_reader *reader;
};

/* NULL: errno; ENOENT: the image has no unwind tables. */
struct tables *tables_new_dwarf(struct image *image, const struct isa *isa); /* .eh_frame and .debug_frame */
struct tables *tables_new_exidx(struct image *image, const struct isa *isa); /* ARM's own */

#endif
