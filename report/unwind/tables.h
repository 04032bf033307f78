/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.h - an image's unwind tables, .eh_frame and .debug_frame, as libunwind reads them.
 *
 * libunwind unwinds one frame at a time, from registers and memory that it asks for. To be quick, tables_row() has it
 * do so once for each address, from made-up registers, and notes what it did with them: a CFI row, which holds for
 * every frame at that address. The few frames that need more than a row can say are stepped live, by tables_step().
 */
#ifndef REPORT_UNWIND_TABLES_H
#define REPORT_UNWIND_TABLES_H

#include "report/binary/image.h"
#include "report/unwind/memory.h"

struct tables;

/* NULL: errno; ENOENT: the image has no unwind tables. @image must outlive it. */
struct tables *tables_new(struct image *image);
void tables_free(struct tables *t); /* NULL is fine */

/*
 * The CFI row at @address: 0; -ENOENT: no table covers it; -ENOTSUP: a row cannot say it, use tables_step();
 * -EBADMSG: the table is damaged there.
 */
int tables_row(struct tables *t, uint64_t address, struct cfi_row *row);
/*
 * One frame up from @r, whose tables are looked up at @address: 0 and the caller's registers in @r; 1: there is no
 * caller; -EFAULT: memory is needed that is not there; -EBADMSG: the table is damaged. Other than 0 leaves @r alone.
 */
int tables_step(struct tables *t, uint64_t address, struct registers *r, const struct memory *m);
size_t tables_size(const struct tables *t); /* functions described */

#endif
