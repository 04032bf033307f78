/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * isa.h - what the report must know of an instruction set: one struct isa for each, in a file for each family
 * (x86.c, arm64.c, arm.c). Everything else in the report works on any of them.
 *
 * Registers have their DWARF numbers, as in unwind tables and in traces.
 */
#ifndef REPORT_ISA_ISA_H
#define REPORT_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_REGS 32 /* numbers are below this */
#define ISA_KEPT 12 /* registers that calls preserve, at most */
#define ISA_CALL_SIZES 9
#define ISA_NONE ISA_REGS /* a register that there is none of */

struct cs_insn;
struct frame_state;
struct instruction;

struct isa {
	uint8_t arch;           /* enum upf_arch of traces */
	uint16_t machine;       /* ELF's e_machine */
	int decoder, mode;      /* capstone's cs_arch and cs_mode */
	uint8_t word;           /* bytes of a stack word */
	uint8_t regs;           /* how many there are */
	uint8_t sp, fp;         /* stack pointer, frame pointer */
	uint8_t cfa;            /* holds the CFA in functions that align their frame; ISA_NONE: none does */
	uint8_t link;           /* where calls put the return address; ISA_NONE: they push it */
	uint8_t ip;             /* the instruction pointer in unwind tables' expressions; ISA_NONE: none has it */
	uint8_t kept[ISA_KEPT]; /* the @nkept registers that calls preserve, the frame pointer included */
	uint8_t nkept;
	int8_t return_offsets
		[2];         /* of the return address from a frame pointer whose frame is made: compilers differ */
	uint8_t direct_call; /* bytes of a call to a constant */
	uint8_t indirect_calls[ISA_CALL_SIZES]; /* of other calls: all sizes, then 0 */
	/* Bytes of an instruction that capstone does not know; NULL: that cannot be told. */
	uint8_t (*size)(const uint8_t *code, size_t left);
	bool tables_hold_at_calls; /* some compilers' tell nothing of prologues and epilogues */
	bool callee_pops;          /* functions may take arguments off the stack when they return */
	uint64_t kernel_from;      /* where Linux' part of the address space begins */
	/* NULL: capstone needs no more than the instruction. Else its state is in @frame, which may be NULL. */
	bool (*decode)(size_t decoder, const uint8_t *code, size_t left, uint64_t address, struct frame_state *frame,
	               struct cs_insn *insn);
	/* What the instruction does to the frame. Id 0 is an instruction that is not known. */
	void (*apply)(const struct isa *isa, size_t decoder, const struct cs_insn *insn, struct frame_state *frame);
	/* Where it leads: fills in flow, indirect_call and target. */
	void (*find_flow)(size_t decoder, const struct cs_insn *insn, struct instruction *out);
	/* Is the code at @code one of the instructions that fill gaps between functions? */
	bool (*is_padding)(const uint8_t *code, size_t left);
	/* NULL, or that of the other code that images of this one have: their symbols tell them apart (image.h). */
	const struct isa *other;
	/* The address in a return address, which may have other bits, too. NULL: it has not. */
	uint64_t (*code_address)(uint64_t word);
	/*
	 * NULL, or bytes that are on the stack above the return address, @offset into a stub of Xen's hypercall
	 * page.
	 */
	bool (*stub_depth)(uint64_t offset, bool pv, int32_t *pushed);
};

extern const struct isa isa_x86_64, isa_i386, isa_arm64, isa_arm, isa_t32;

/* NULL: none that is known. */
const struct isa *isa_of_machine(uint16_t machine);
const struct isa *isa_of_arch(uint8_t arch);
/* Can a machine of instruction set @arch (enum upf_arch) run code of @isa in one of its modes? */
bool isa_runs_on(const struct isa *isa, uint8_t arch);

static inline uint64_t isa_code_address(const struct isa *isa, uint64_t word)
{
	return isa->code_address ? isa->code_address(word) : word;
}

/* Bytes that a call has pushed before the function's first instruction. */
static inline uint8_t isa_pushed(const struct isa *isa)
{
	return isa->link == ISA_NONE ? isa->word : 0;
}

/* The place of register @r among those that calls preserve; isa->nkept: it is none. */
static inline unsigned isa_kept(const struct isa *isa, unsigned r)
{
	unsigned k = 0;

	while (k < isa->nkept && isa->kept[k] != r)
		k++;
	return k;
}

#endif
