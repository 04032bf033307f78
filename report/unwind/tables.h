/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.h - an image's unwind tables: .eh_frame, .debug_frame, and ARM's .ARM.exidx.
 */
#ifndef REPORT_UNWIND_TABLES_H
#define REPORT_UNWIND_TABLES_H

#include "report/elf/image.h"
#include "report/unwind/memory.h"

struct tables;

/* NULL: errno; ENOENT: the image has no unwind tables. @image must outlive it. */
struct tables *tables_new(struct image *image);
/* The same of those that hold at calls only, for where the others tell nothing: .ARM.exidx. */
struct tables *tables_new_at_calls(struct image *image);
void tables_free(struct tables *t); /* NULL is fine */

/*
 * The CFI row at @address: 0; -ENOENT: no table covers it; -ENOTSUP: a row cannot say it, use tables_step(); -ENODATA:
 * it is too complicated for both; -EBADMSG: the table is damaged there.
 */
int tables_row(struct tables *t, uint64_t address, struct cfi_row *row);
/*
 * One frame up from @r, whose tables are looked up at @address: 0 and the caller's registers in @r; 1: there is no
 * caller; -EFAULT: memory is needed that is not there; -EBADMSG: the table is damaged. Other than 0 leaves @r alone.
 */
int tables_step(struct tables *t, uint64_t address, struct registers *r, const struct memory *m);

#endif
