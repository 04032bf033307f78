/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.h - the row at an address, from whatever knows it: the hypercall page's fixed layout, an image's unwind tables, its
 * ORC, its code. Every address is asked for once.
 */
#ifndef REPORT_UNWIND_ROWS_H
#define REPORT_UNWIND_ROWS_H

#include "report/names/symbols.h"
#include "report/unwind/image.h"
#include "report/unwind/memory.h"
#include "report/unwind/tables.h"

enum row_source {
	ROW_UNKNOWN,  /* nothing tells */
	ROW_DAMAGED,  /* the table that should tell is damaged */
	ROW_BY_STUB,
	ROW_BY_TABLE,
	ROW_BY_ORC,
	ROW_BY_CODE,  /* certain only if the return address found can be one */
};

struct known_row {
	uint8_t source;        /* enum row_source */
	struct tables *live;   /* ROW_BY_TABLE: not NULL: more than a row can say, use tables_step() */
	struct row row;
};

struct rows;

/* @symbols must outlive it. NULL: errno. */
struct rows *rows_new(const struct symbols *symbols);
void rows_free(struct rows *r); /* NULL is fine */
/*
 * Adds the tables and code of an ELF file, which lies @bias higher than it was linked for; of a module of Linux, which its
 * symbols must place, its ORC. 0, or -1 and one line in @why.
 */
int rows_add_image(struct rows *r, const char *path, uint64_t bias, char *why, size_t size);
/* Is there any image? Without one little more than hypercall stubs and functions' first instructions are known. */
bool rows_any(const struct rows *r);

/* The image with code at @address; NULL: none. */
const struct image *rows_image(const struct rows *r, uint64_t address);

/* Can code lie before @address: is there a symbol, or an image's code? */
bool rows_behind_code(const struct rows *r, uint64_t address);
/* Is there a symbol at @address, and how far behind its beginning is that? */
bool rows_named(const struct rows *r, uint64_t address, uint64_t *offset);

/*
 * The row at the instruction at @address; for a caller's frame (@behind), at the call before its return address @address.
 * @pv: of a PV guest's hypercall page. NULL: no memory. What it points at is good until the next call.
 */
const struct known_row *rows_find(struct rows *r, uint64_t address, bool behind, bool pv);
/* The same from the code alone: source ROW_UNKNOWN if it does not tell. Not remembered. */
struct known_row rows_from_code(struct rows *r, uint64_t address, bool behind);
/* Can @return_address be where a call stands that led to the code at @callee? False also where there is no code to tell. */
bool rows_called_from(struct rows *r, uint64_t return_address, uint64_t callee);

#endif
