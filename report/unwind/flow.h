/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.h - what one x86-64 instruction does to a frame: where the stack pointer is after it, which registers it saved,
 * which instruction comes next. Capstone decodes the instructions.
 */
#ifndef REPORT_UNWIND_FLOW_H
#define REPORT_UNWIND_FLOW_H

#include "report/unwind/cfi_row.h"

#include <stddef.h>

/* Registers that calls preserve. */
enum { KEPT_RBX, KEPT_FP, KEPT_R12, KEPT_R13, KEPT_R14, KEPT_R15, KEPT };

/* A frame before an instruction. The CFA is where the stack pointer was before the call. */
struct frame_state {
	bool sp_known;  /* the stack pointer is CFA - sp */
	bool fp_known;  /* the frame pointer is CFA - fp */
	bool r10_known; /* r10 is the CFA: a frame that is about to be aligned */
	/* the return address is a copy, made by a frame that was aligned: the CFA is not the caller's stack */
	bool copied;
	int32_t sp, fp;
	struct {
		uint8_t where; /* CFI_SAME, CFI_SAVED at CFA + offset, CFI_LOST */
		int32_t offset;
	} kept[KEPT];
};

enum flow {
	FLOW_NEXT,     /* the next instruction */
	FLOW_CALL,     /* the next instruction, if the callee returns */
	FLOW_BRANCH,   /* the target or the next instruction */
	FLOW_JUMP,     /* the target */
	FLOW_INDIRECT, /* not known: a register or memory holds the target */
	FLOW_END,      /* none: it returns or traps */
};

struct instruction {
	enum flow flow;
	uint8_t size;
	bool indirect_call;
	uint64_t target; /* of a jump, branch or direct call */
};

struct flow_reader;
struct flow_reader *flow_open(void);    /* NULL: errno */
void flow_close(struct flow_reader *r); /* NULL is fine */
/* The frame before a function's first instruction. */
struct frame_state flow_entry(void);
/* Decodes the instruction at @address and applies it to @state (NULL: only decodes). False: it is no instruction. */
bool flow_step(struct flow_reader *r, const uint8_t *code, size_t left, uint64_t address, struct frame_state *state,
               struct instruction *out);
bool flow_same(const struct frame_state *a, const struct frame_state *b);
/* Keeps in @a only what is the same in @b. False: what is left does not tell where the CFA is. */
bool flow_meet(struct frame_state *a, const struct frame_state *b);
/* The CFI row that @state makes; false: it does not tell where the CFA is. */
bool flow_row(const struct frame_state *state, struct cfi_row *row);

#endif
