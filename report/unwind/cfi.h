/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi.h - the CFI row at an address, from what knows it: the hypercall page's fixed layout, an image's unwind tables,
 * its ORC tables, its code. Each address is looked up once.
 */
#ifndef REPORT_UNWIND_CFI_H
#define REPORT_UNWIND_CFI_H

#include "report/elf/image.h"
#include "report/symbols/symbols.h"
#include "report/unwind/code.h"
#include "report/unwind/memory.h"
#include "report/unwind/tables.h"

enum cfi_source {
	CFI_UNKNOWN, /* there is no row */
	CFI_DAMAGED, /* the table that covers the address is damaged */
	CFI_BY_STUB,
	CFI_BY_TABLE,
	CFI_BY_ORC,
	CFI_BY_CODE, /* certain only if the return address found can be one */
};

struct cfi_known_row {
	uint8_t source; /* enum cfi_source */
	const struct tables
		*live; /* CFI_BY_TABLE: not NULL: the frame needs more than a row can say, use tables_step() */
	struct cfi_row row;
};

/*
 * Is the row uncertain before the next call, because it is of an aligned frame? gcc 12's tables say in such a frame's
 * epilogue that the caller's frame pointer is still in memory after it was popped.
 */
static inline bool cfi_is_doubtful(const struct cfi_known_row *k, const struct isa *isa)
{
	return k->live || k->row.reg[isa->fp].where == CFI_SAVED_BY_FP;
}

struct cfi;

/* @symbols must outlive it. NULL: errno. */
struct cfi *cfi_new(const struct symbols *symbols);
void cfi_free(struct cfi *cfi); /* NULL is fine */
/*
 * Adds the tables and code of an ELF file, which lies @bias higher than it was linked for; of a module of Linux, which
 * its symbols must place, its ORC. 0, or -1 and one line in @why.
 */
int cfi_add_image(struct cfi *cfi, const char *path, uint64_t bias, char *why, size_t size);
/* Is there any image? Without one there are rows only for hypercall stubs and functions' first instructions. */
bool cfi_any(const struct cfi *cfi);

/* The image with code at @address; NULL: none. */
const struct image *cfi_image(const struct cfi *cfi, uint64_t address);

/* Can code lie before @address: is there a symbol, or an image's code? */
bool cfi_behind_code(const struct cfi *cfi, uint64_t address);
/* Is there a symbol at @address, and how far behind its beginning is that? */
bool cfi_named(const struct cfi *cfi, uint64_t address, uint64_t *offset);

/*
 * The code that is asked for below is of this instruction set: images of others, which may lie at the same addresses,
 * do not count. @pv: its hypercall page is a PV guest's.
 */
void cfi_enter(struct cfi *cfi, const struct isa *isa, bool pv);
const struct isa *cfi_isa(const struct cfi *cfi);
/* Of the code at @address: an image's of that instruction set may have code of another one, too. */
const struct isa *cfi_isa_at(const struct cfi *cfi, uint64_t address);
/*
 * The row for the instruction at @address; for a caller's frame (@behind), for the call that ends at its return
 * address @address. NULL: no memory. What it points at is good until the next call.
 */
const struct cfi_known_row *cfi_find(struct cfi *cfi, uint64_t address, bool behind);
/* The same from the code alone: source CFI_UNKNOWN if there is none. Not cached. */
struct cfi_known_row cfi_from_code(struct cfi *cfi, uint64_t address, bool behind);
/*
 * Can @return_address be where a call stands that led to the code at @callee? False also where there is no code to
 * tell.
 */
bool cfi_called_from(struct cfi *cfi, uint64_t return_address, uint64_t callee);
/* Is there a direct call before @return_address? *function: where it leads. */
bool cfi_call_before(struct cfi *cfi, uint64_t return_address, uint64_t *function);
/* As code_only_call(), in the image that has both. */
bool cfi_only_call(struct cfi *cfi, uint64_t target, uint64_t callee, struct code_caller *caller);
/* Has an image code before @return_address, of any instruction set? Then *calls says whether that is a call. */
bool cfi_code_before(struct cfi *cfi, uint64_t return_address, bool *calls);
/* Has an image's code a function at @address? Then *begins says whether one of its instructions is there. */
bool cfi_code_at(struct cfi *cfi, uint64_t address, bool *begins);

#endif
