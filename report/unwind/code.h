/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.h - what the code itself tells about a stack, where no unwind table does: how far a function has built its
 * frame at an instruction, whether an address stands behind a call, and where that call leads.
 */
#ifndef REPORT_UNWIND_CODE_H
#define REPORT_UNWIND_CODE_H

#include "report/binary/symbols.h"
#include "report/binary/image.h"
#include "report/unwind/cfi_row.h"

struct code;

/* Looks into @image and @symbols, which must outlive it. NULL: errno; ENOTSUP: not an architecture known here. */
struct code *code_new(const struct image *image, const struct symbols *symbols);
void code_free(struct code *c); /* NULL is fine */

/*
 * The row before the instruction at @address is executed. 0; -ENOENT: no code there, or no function known to begin
 * before it; -ENODATA: the code does not tell (reached in two ways that differ, not reached from the function's
 * beginning, stack pointer computed); -ENOMEM. A function is followed once, then remembered.
 */
int code_row(struct code *c, uint64_t address, struct cfi_row *row);

enum call_kind { CALL_NONE, CALL_DIRECT, CALL_INDIRECT };
/* Does the instruction that ends at @address call? *target: where to, of a direct call. */
enum call_kind code_call_before(struct code *c, uint64_t address, uint64_t *target);
/*
 * May a call of @target find itself at @address without another call: because the address is in that function, or by
 * tail calls, which are jumps? An indirect jump on the way may go anywhere: true.
 */
bool code_reaches(struct code *c, uint64_t target, uint64_t address);

#endif
