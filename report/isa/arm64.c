/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arm64.c - AArch64. Where an instruction leads is read from its word (Arm ARM, C4.1): capstone does not know the
 * branches of later versions of the architecture.
 */
#include "report/isa/flow.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

#include <capstone/capstone.h>
#include <elf.h>

enum { FP = 29, LR = 30, SP = 31 };

#define ADDRESS_BITS 48 /* above them, a pointer may have an authentication code (Linux: at most so many) */

static unsigned arm64_number(unsigned reg)
{
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return reg - ARM64_REG_X0;
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return reg - ARM64_REG_W0;
	switch (reg) {
	case ARM64_REG_X29:
		return FP;
	case ARM64_REG_X30:
		return LR;
	case ARM64_REG_SP:
	case ARM64_REG_WSP:
		return SP;
	default:
		return ISA_NONE;
	}
}

/* --- loads and stores -------------------------------------------------------------------------------------------- */

static bool is_store(unsigned id)
{
	return id == ARM64_INS_STP || id == ARM64_INS_STR || id == ARM64_INS_STUR || id == ARM64_INS_STNP;
}

static bool is_load(unsigned id)
{
	return id == ARM64_INS_LDP || id == ARM64_INS_LDR || id == ARM64_INS_LDUR || id == ARM64_INS_LDNP;
}

/* A register as wide as those that frames save; others do not matter. */
static bool arm64_is_whole(unsigned reg)
{
	return (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) || reg == ARM64_REG_X29 || reg == ARM64_REG_X30;
}

/* One or two registers to or from memory at a base, which may move: [sp, #-32]! before, [sp], #32 behind. */
static bool arm64_transfer(const struct isa *isa, struct frame_state *s, unsigned id, const cs_arm64 *x)
{
	unsigned n = 0, base;
	int64_t displacement, moved;
	bool after, known;
	int32_t below = 0;

	while (n < x->op_count && x->operands[n].type == ARM64_OP_REG)
		n++;
	if ((!is_store(id) && !is_load(id)) || n == 0 || n > 2 || n == x->op_count ||
	    x->operands[n].type != ARM64_OP_MEM)
		return false;
	after = n + 1 < x->op_count;
	base = arm64_number(x->operands[n].mem.base);
	displacement = x->operands[n].mem.disp;
	moved = after ? x->operands[n + 1].imm : displacement;
	known = x->operands[n].mem.index == ARM64_REG_INVALID &&
	        frame_place(isa, s, base, after ? 0 : displacement, &below);
	for (unsigned i = 0; i < n; i++) {
		unsigned reg = arm64_number(x->operands[i].reg);

		if (is_store(id) && known && arm64_is_whole(x->operands[i].reg))
			frame_save(isa, s, reg, below - 8 * (int32_t)i);
		else if (is_load(id) && known && arm64_is_whole(x->operands[i].reg))
			frame_restore(isa, s, reg, below - 8 * (int32_t)i);
		else if (is_load(id))
			frame_lose(isa, s, reg);
	}
	if (x->writeback && base == SP)
		frame_move_sp(s, moved);
	else if (x->writeback)
		frame_lose(isa, s, base);
	return true;
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

/* mov, add and sub of a constant, of an address in the frame. */
static bool arm64_move(const struct isa *isa, struct frame_state *s, unsigned id, const cs_arm64 *x)
{
	const cs_arm64_op *by = &x->operands[2];
	int64_t displacement = 0;
	int32_t below;

	if (id != ARM64_INS_MOV && id != ARM64_INS_ADD && id != ARM64_INS_SUB)
		return false;
	if (x->op_count != (id == ARM64_INS_MOV ? 2 : 3) || x->operands[0].type != ARM64_OP_REG ||
	    x->operands[1].type != ARM64_OP_REG)
		return false;
	if (id != ARM64_INS_MOV) {
		if (by->type != ARM64_OP_IMM)
			return false;
		displacement = by->shift.type == ARM64_SFT_LSL ? by->imm << by->shift.value : by->imm;
	}
	if (!frame_place(isa, s, arm64_number(x->operands[1].reg), id == ARM64_INS_SUB ? -displacement : displacement,
	                 &below))
		return false;
	frame_set(isa, s, arm64_number(x->operands[0].reg), below);
	return true;
}

/* Capstone takes the first operand of these for written, and x30 for written by calls of the kernel. */
static bool writes_none(unsigned id)
{
	return id == ARM64_INS_CMP || id == ARM64_INS_CMN || id == ARM64_INS_TST || id == ARM64_INS_CCMP ||
	       id == ARM64_INS_CCMN || id == ARM64_INS_SVC || id == ARM64_INS_HVC || id == ARM64_INS_SMC;
}

static void arm64_apply(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	cs_regs written = {0};

	if (insn->id == 0) { /* not known: most have the register that they write in the last five bits */
		if ((insn->bytes[0] & 31) != 31) /* no register */
			frame_lose(isa, s, insn->bytes[0] & 31);
		return;
	}
	if (arm64_transfer(isa, s, insn->id, &insn->detail->arm64) ||
	    arm64_move(isa, s, insn->id, &insn->detail->arm64) || writes_none(insn->id))
		return;
	for (uint8_t i = flow_written(handle, insn, written); i-- > 0;)
		frame_lose(isa, s, arm64_number(written[i]));
}

/* --- where it goes ----------------------------------------------------------------------------------------------- */

/* The @bits bits of @word from @shift up, a signed number of instructions. */
static uint64_t relative(const cs_insn *insn, uint32_t word, unsigned shift, unsigned bits)
{
	uint64_t field = word >> shift & ((1u << bits) - 1), sign = UINT64_C(1) << (bits - 1);

	return insn->address + 4 * ((field ^ sign) - sign);
}

/* br, blr, ret, eret, drps and those with pointer authentication. */
static void branch_to_register(uint32_t word, struct instruction *out)
{
	switch (word >> 21 & 7) {
	case 0:
		out->flow = FLOW_INDIRECT;
		return;
	case 1:
		out->flow = FLOW_CALL;
		out->indirect_call = true;
		return;
	default:
		out->flow = FLOW_END;
		out->returns = true;
	}
}

static void arm64_find_flow(csh handle, const cs_insn *insn, struct instruction *out)
{
	uint32_t word = peek_u32(insn->bytes);

	(void)handle;
	out->flow = FLOW_NEXT;
	if ((word & 0x7c000000) == 0x14000000) {
		out->flow = word >> 31 ? FLOW_CALL : FLOW_JUMP;
		out->target = relative(insn, word, 0, 26);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		out->flow = FLOW_BRANCH;
		out->target = relative(insn, word, 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) {
		out->flow = FLOW_BRANCH;
		out->target = relative(insn, word, 5, 14);
	} else if ((word & 0xfe000000) == 0xd6000000) {
		branch_to_register(word, out);
	} else if (word >> 16 == 0 || (word & 0xffe0001f) == 0xd4200000 || (word & 0xffe0001f) == 0xd4400000) {
		out->flow = FLOW_END; /* udf, brk, hlt */
	}
}

static uint8_t arm64_size(const uint8_t *code, size_t left)
{
	(void)code, (void)left;
	return 4;
}

static bool arm64_is_padding(const uint8_t *code, size_t left)
{
	return left < 4 || peek_u32(code) == 0xd503201f || peek_u32(code) == 0;
}

static uint64_t arm64_code_address(uint64_t word)
{
	uint64_t above = UINT64_MAX << ADDRESS_BITS;

	return word >> 55 & 1 ? word | above : word & ~above;
}

const struct isa isa_arm64 = {
	.arch = UPF_ARCH_ARM64,
	.machine = EM_AARCH64,
	.decoder = CS_ARCH_ARM64,
	.mode = CS_MODE_ARM,
	.word = 8,
	.regs = 32,
	.sp = SP,
	.fp = FP,
	.cfa = ISA_NONE,
	.link = LR,
	.ip = ISA_NONE,
	.kept = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, FP, LR},
	.nkept = 12,
	.return_offsets = {8, 8},
	.tables_hold_at_calls = true,
	.size = arm64_size,
	.direct_call = 4,
	.indirect_calls = {4},
	.kernel_from = UINT64_C(1) << 55,
	.apply = arm64_apply,
	.find_flow = arm64_find_flow,
	.is_padding = arm64_is_padding,
	.code_address = arm64_code_address,
};
