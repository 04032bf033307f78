/* SPDX-License-Identifier: BSD-2-Clause */
/* tables.h - an image's unwind tables: .eh_frame with .debug_frame, ARM's .ARM.exidx, Linux' ORC. */
#ifndef REPORT_UNWIND_TABLES_H
#define REPORT_UNWIND_TABLES_H

#include "report/elf/image.h"
#include "report/symbols/module.h"
#include "report/unwind/memory.h"

/* --- .eh_frame and .debug_frame (tables_dwarf.c) --- */

struct tables;

/* NULL: errno; ENOENT: the image has no such tables. @image must outlive it. */
struct tables *tables_new(struct image *image);
void tables_free(struct tables *t); /* NULL is fine */
/*
 * The CFI row at @address: 0; -ENOENT: no table covers it; -ENOTSUP: a row cannot say it, use tables_step(); -ENODATA:
 * it is too complicated for both; -EBADMSG: the table is damaged there.
 */
int tables_row(const struct tables *t, uint64_t address, struct cfi_row *row);
/*
 * One frame up from @r, whose tables are looked up at @address: 0 and the caller's registers in @r; 1: there is no
 * caller; -EFAULT: memory is needed that is not there; -EBADMSG: the table is damaged. Other than 0 leaves @r alone.
 */
int tables_step(const struct tables *t, uint64_t address, struct registers *r, const struct memory *m);

/* --- .ARM.exidx, which holds at calls only (tables_exidx.c) --- */

struct exidx;

struct exidx *exidx_new(struct image *image);                                /* as tables_new(); free() it */
int exidx_row(const struct exidx *x, uint64_t address, struct cfi_row *row); /* as tables_row(), never -ENOTSUP */

/* --- ORC of a Linux kernel's vmlinux or of a module: .orc_unwind_ip and .orc_unwind (orc.c) --- */

struct orc;

/* NULL, errno ENOENT: the image has no ORC tables, or none of a layout known here (EPROTO). @image must outlive it. */
struct orc *orc_new(struct image *image);
/* The same for a module's file, whose tables are as the assembler made them: not linked and not sorted. */
struct orc *orc_of_module(struct image *image, const struct module *module);
void orc_free(struct orc *o); /* NULL is fine */
/* 0; -ENOENT: the table does not cover @address; -ENODATA: the table says that no unwinding is possible there. */
int orc_row(const struct orc *o, uint64_t address, struct cfi_row *row);

#endif
