/* SPDX-License-Identifier: BSD-2-Clause */
/* orc.h - CFI rows from the ORC tables of a Linux kernel's vmlinux or of a module: .orc_unwind_ip and .orc_unwind. */
#ifndef REPORT_UNWIND_ORC_H
#define REPORT_UNWIND_ORC_H

#include "report/elf/image.h"
#include "report/symbols/module.h"
#include "report/isa/cfi_row.h"

struct orc;

/* NULL, errno ENOENT: the image has no ORC tables, or none of a layout known here (EPROTO). @image must outlive it. */
struct orc *orc_new(struct image *image);
/* The same for a module's file, whose tables are as the assembler made them: not linked and not sorted. */
struct orc *orc_of_module(struct image *image, const struct module *module);
void orc_free(struct orc *o); /* NULL is fine */
/* 0; -ENOENT: the table does not cover @address; -ENODATA: the table says that no unwinding is possible there. */
int orc_row(const struct orc *o, uint64_t address, struct cfi_row *row);

#endif
