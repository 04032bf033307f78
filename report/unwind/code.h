/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.h - what the code itself tells about a stack where there is no unwind table: how far a function has built its
 * frame at an instruction, whether an address follows a call, and where that call leads.
 */
#ifndef REPORT_UNWIND_CODE_H
#define REPORT_UNWIND_CODE_H

#include "report/symbols/symbols.h"
#include "report/elf/image.h"
#include "report/isa/cfi_row.h"

struct code;

/* @image and @symbols must outlive it. NULL: errno; ENOTSUP: the architecture is not supported. */
struct code *code_new(const struct image *image, const struct symbols *symbols);
void code_free(struct code *c); /* NULL is fine */

/*
 * The CFI row that holds before the instruction at @address is executed; for a caller's frame (@behind), during the
 * call that ends at @address. 0; -ENOENT: there is no code, or no known
 * function; -ENODATA: the code does not tell (two ways to it disagree, no way leads to it, or the stack pointer is
 * computed); -ENOMEM. Each function is followed once.
 */
int code_row(struct code *c, uint64_t address, bool behind, struct cfi_row *row);

enum call_kind { CALL_NONE, CALL_DIRECT, CALL_INDIRECT };
/* Does the instruction that ends at @address call? *target: where to, of a direct call. */
enum call_kind code_call_before(struct code *c, uint64_t address, uint64_t *target);
/*
 * Can a call of @target reach @address without another call: because the address is in that function, or by tail
 * calls, which are jumps? True also if there is an indirect jump on the way, which may lead anywhere.
 */
bool code_reaches(struct code *c, uint64_t target, uint64_t address);

/* Who has called a function. */
struct code_caller {
	uint64_t address; /* where the call returns to, or of several calls where their function begins */
	bool is_return;   /* the former */
};

/*
 * Which function that a call of @target comes to, by tail calls or none, can have called the one at @callee so? By direct
 * calls, or if there is none, through a pointer. False: none, more than one, or that cannot be told.
 */
bool code_only_call(struct code *c, uint64_t target, uint64_t callee, struct code_caller *caller);

/*
 * Is there an instruction at @address, counted from the beginning of its function? -ENODATA: that cannot be told, as
 * there is no symbol, or data among the code.
 */
int code_has_instruction(struct code *c, uint64_t address);

#endif
