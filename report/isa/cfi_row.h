/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi_row.h - a row of call frame information: how to get from a frame to its caller's, at one instruction.
 *
 * The canonical frame address (CFA) is what the stack pointer was before the call that made the frame. Rows come from
 * unwind tables and Linux' ORC (tables.h), and from the code itself (code.h).
 */
#ifndef REPORT_ISA_CFI_ROW_H
#define REPORT_ISA_CFI_ROW_H

#include "report/isa/isa.h"

enum cfi_kind {
	CFI_CALLER, /* the row leads to the caller */
	CFI_ROOT,   /* there is no caller: an entry point */
	CFI_POPPED, /* the return address was popped or is lost: nothing tells a caller; where a thread begins, often */
};

/* Where the caller's value of a register is. */
enum cfi_where {
	CFI_SAME,        /* still in the register */
	CFI_SAVED,       /* in memory, at CFA + offset */
	CFI_VALUE,       /* it is CFA + offset */
	CFI_SAVED_BY_FP, /* in memory, at this frame's frame pointer + offset */
	CFI_LOST,        /* not known */
};

/* Where the return address is. */
enum cfi_return {
	CFI_RA_SAVED, /* in memory, at CFA + ra_offset */
	CFI_RA_BOTH,  /* there and still in isa->link */
	CFI_RA_LINK,  /* in isa->link only */
};

struct cfi_row {
	uint8_t kind;     /* enum cfi_kind */
	uint8_t cfa_base; /* register number */
	bool cfa_deref;   /* the CFA is what lies in memory at base + offset */
	int32_t cfa_offset;
	int32_t cfa_after; /* added to what lies in memory */
	uint8_t ra;        /* enum cfi_return */
	int32_t ra_offset;
	bool interrupted; /* the return address is where an interrupt came, not behind a call */
	struct {
		uint8_t where; /* enum cfi_where */
		int32_t offset;
	} reg[ISA_REGS]; /* the stack pointer: CFI_VALUE 0, the CFA itself, but for interrupt frames */
};

#endif
