/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_rules.h - what a frame description says of the frame at one address: how to compute its CFA, and where its
 * caller's registers are (DWARF 4, 6.4.1).
 */
#ifndef REPORT_UNWIND_FRAME_RULES_H
#define REPORT_UNWIND_FRAME_RULES_H

#include "report/unwind/fde.h"

enum frame_rule_kind {
	RULE_NONE, /* nothing is said */
	RULE_UNDEFINED,
	RULE_SAME,
	RULE_OFFSET,           /* in memory, at CFA + offset */
	RULE_VALUE,            /* CFA + offset */
	RULE_REGISTER,         /* register + offset */
	RULE_EXPRESSION,       /* in memory, at the address that the expression gives */
	RULE_EXPRESSION_VALUE, /* what the expression gives */
};

struct frame_rule {
	uint8_t kind;  /* enum frame_rule_kind */
	uint8_t reg;   /* ISA_NONE: one that is not known here */
	uint32_t size; /* of the expression, bytes */
	int64_t offset;
	const uint8_t *expression; /* in the index's sections */
};

#define FRAME_COLUMNS (ISA_REGS + 1) /* the return address has a column of its own on some */

struct frame_rules {
	struct frame_rule cfa; /* RULE_REGISTER or RULE_EXPRESSION_VALUE */
	struct frame_rule column[FRAME_COLUMNS];
};

/*
 * The rules at @address of what @p describes, which begins at @start. Registers of higher numbers than columns are
 * left out. 0 or -EBADMSG.
 */
int frame_rules_at(const struct isa *isa, const struct fde_program *p, uint64_t start, uint64_t address,
                   struct frame_rules *rules);

#endif
