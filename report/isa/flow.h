/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.h - what one instruction does to a frame: where the stack pointer is after it, which registers it saved, which
 * instruction comes next. Capstone decodes the instructions; what they do is their instruction set's (isa.h).
 */
#ifndef REPORT_ISA_FLOW_H
#define REPORT_ISA_FLOW_H

#include "report/isa/cfi_row.h"

/* A frame before an instruction. The CFA is where the stack pointer was before the call. */
struct frame_state {
	bool sp_known;  /* the stack pointer is CFA - sp */
	bool fp_known;  /* the frame pointer is CFA - fp */
	bool cfa_known; /* isa->cfa is the CFA: a frame that is about to be aligned */
	/* the return address is a copy, made by a frame that was aligned: the CFA is not the caller's stack */
	bool copied;
	uint8_t it; /* T32: how an IT instruction makes the next ones conditional, as in the processor's ITSTATE */
	int32_t sp, fp;
	struct {
		uint8_t where; /* CFI_SAME, CFI_SAVED at CFA + offset, CFI_LOST */
		bool changed;  /* SAVED: the register has something else now */
		int32_t offset;
	} kept[ISA_KEPT]; /* as isa->kept */
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
	bool conditional; /* it may as well go on behind itself */
	bool returns;     /* FLOW_END: it is a return, */
	bool resumes;     /* or one from an interrupt, to what that has interrupted */
	uint16_t pops;    /* of a return: bytes of arguments that it takes off the stack */
	uint64_t target;  /* of a jump, branch or direct call */
};

#define FLOW_WRITTEN_MAX 64 /* capstone's cs_regs */

struct flow_reader;
struct flow_reader *flow_open(const struct isa *isa); /* NULL: errno */
void flow_close(struct flow_reader *r);               /* NULL is fine */
/* The frame before a function's first instruction. */
struct frame_state flow_entry(const struct isa *isa);
/*
 * Decodes the instruction at @address, of @isa: the reader's, or the other one that its images have. Applies it to
 * @state (NULL: only decodes). False: it is no instruction.
 */
bool flow_step(struct flow_reader *r, const struct isa *isa, const uint8_t *code, size_t left, uint64_t address,
               struct frame_state *state, struct instruction *out);
bool flow_same(const struct frame_state *a, const struct frame_state *b);
/* Keeps in @a only what is the same in @b. False: what is left does not tell where the CFA is. */
bool flow_meet(struct frame_state *a, const struct frame_state *b);
/* The CFI row that @state makes; false: it does not tell where the CFA is. */
bool flow_row(const struct isa *isa, const struct frame_state *state, struct cfi_row *row);
/*
 * The same in a function that an interrupt begins, which resumes what was interrupted by an instruction before which
 * the stack pointer is CFA - @below.
 */
bool flow_interrupt_row(const struct isa *isa, const struct frame_state *state, int32_t below, struct cfi_row *row);

/*
 * What instructions do, for the files of instruction sets. Places in memory are CFA - @below; a register that is
 * neither the stack pointer, the frame pointer, isa->cfa nor preserved by calls may be given, and changes nothing.
 */

/* The registers that the instruction writes, by capstone's numbers: how many there are. */
uint8_t flow_written(size_t decoder, const struct cs_insn *insn, uint16_t written[FLOW_WRITTEN_MAX]);
/* The register is written with something else. Its caller's value is where it was saved, or gone. */
void frame_lose(const struct isa *isa, struct frame_state *s, unsigned reg);
/* The register goes into the word at CFA - @below, or comes out of it. */
void frame_save(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below);
void frame_restore(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below);
/* The register gets the address CFA - @below. */
void frame_set(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below);
/* The stack pointer grows by @up. */
void frame_move_sp(struct frame_state *s, int64_t up);
/* Is the address in @reg, plus @displacement, known? Then it is CFA - *below. */
bool frame_place(const struct isa *isa, const struct frame_state *s, unsigned reg, int64_t displacement,
                 int32_t *below);

#endif
