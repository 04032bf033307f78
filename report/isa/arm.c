/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arm.c - ARM: the instruction sets A32 and T32 (Thumb). Images have both, and functions of the one call those of the
 * other.
 */
#include "report/isa/flow.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

#include <capstone/capstone.h>
#include <elf.h>

enum { THUMB_FP = 7, FP = 11, SP = 13, LR = 14, PC = 15 };

static unsigned arm_number(unsigned reg)
{
	if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12)
		return reg - ARM_REG_R0;
	switch (reg) {
	case ARM_REG_SP:
		return SP;
	case ARM_REG_LR:
		return LR;
	case ARM_REG_PC:
		return PC;
	default:
		return ISA_NONE;
	}
}

static bool is_conditional(const cs_arm *x)
{
	return x->cc != ARM_CC_AL && x->cc != ARM_CC_INVALID;
}

/* --- loads and stores -------------------------------------------------------------------------------------------- */

/* The registers from operand @from on go to the words from CFA - @below up, or come from there. */
static void arm_transfer(const struct isa *isa, struct frame_state *s, const cs_arm *x, unsigned from, bool store,
                         bool known, int32_t below)
{
	for (unsigned i = from; i < x->op_count && x->operands[i].type == ARM_OP_REG; i++, below -= 4) {
		unsigned reg = arm_number(x->operands[i].reg);

		if (store && known)
			frame_save(isa, s, reg, below);
		else if (!store && known)
			frame_restore(isa, s, reg, below);
		else if (!store)
			frame_lose(isa, s, reg);
	}
}

static void arm_push(const struct isa *isa, struct frame_state *s, const cs_arm *x)
{
	frame_move_sp(s, -4 * x->op_count);
	arm_transfer(isa, s, x, 0, true, s->sp_known, s->sp);
}

static void arm_pop(const struct isa *isa, struct frame_state *s, const cs_arm *x)
{
	arm_transfer(isa, s, x, 0, false, s->sp_known, s->sp);
	frame_move_sp(s, 4 * x->op_count);
}

/* vpush and vpop: registers of eight bytes, or of four. */
static void move_by_floats(struct frame_state *s, const cs_arm *x, int sign)
{
	int size = x->op_count && x->operands[0].reg >= ARM_REG_S0 && x->operands[0].reg <= ARM_REG_S31 ? 4 : 8;

	frame_move_sp(s, sign * size * x->op_count);
}

/* ldm and stm, upwards from the base or up to it. */
static void transfer_many(const struct isa *isa, struct frame_state *s, const cs_arm *x, bool store, bool before)
{
	unsigned base = arm_number(x->operands[0].reg);
	int32_t size = 4 * (x->op_count - 1), below;
	bool known = frame_place(isa, s, base, before ? -size : 0, &below);

	if (x->writeback && base == SP)
		frame_move_sp(s, before ? -size : size);
	else if (x->writeback)
		frame_lose(isa, s, base);
	arm_transfer(isa, s, x, 1, store, known, below);
}

/* str, ldr, strd and ldrd; the base may move before, [sp, #-8]!, or behind, [sp], #8. */
static void transfer_one(const struct isa *isa, struct frame_state *s, const cs_arm *x, bool store)
{
	unsigned n = 0, base;
	const arm_op_mem *m;
	const cs_arm_op *after;
	int32_t below = 0;
	bool known;

	while (n < x->op_count && x->operands[n].type == ARM_OP_REG)
		n++;
	if (n == x->op_count || x->operands[n].type != ARM_OP_MEM)
		return;
	m = &x->operands[n].mem;
	base = arm_number(m->base);
	known = m->index == ARM_REG_INVALID && frame_place(isa, s, base, m->disp, &below);
	arm_transfer(isa, s, x, 0, store, known, below);
	after = n + 1 < x->op_count ? &x->operands[n + 1] : NULL;
	if (x->writeback && base == SP && m->index == ARM_REG_INVALID && (!after || after->type == ARM_OP_IMM))
		frame_move_sp(s, !after ? m->disp : after->subtracted ? -after->imm : after->imm);
	else if (x->writeback)
		frame_lose(isa, s, base);
}

/* --- addresses --------------------------------------------------------------------------------------------------- */

static bool adds(unsigned id)
{
	return id == ARM_INS_ADD || id == ARM_INS_ADDW;
}

static bool subtracts(unsigned id)
{
	return id == ARM_INS_SUB || id == ARM_INS_SUBW;
}

/* mov, add and sub of a constant, of an address in the frame: T32's may have one operand for both registers. */
static bool arm_move(const struct isa *isa, struct frame_state *s, unsigned id, const cs_arm *x)
{
	const cs_arm_op *to = &x->operands[0], *from = &x->operands[1], *by;
	int64_t displacement = 0;
	int32_t below;

	if ((id != ARM_INS_MOV && !adds(id) && !subtracts(id)) || x->op_count < 2)
		return false;
	if (id != ARM_INS_MOV) {
		by = &x->operands[x->op_count - 1];
		if (by->type != ARM_OP_IMM)
			return false;
		displacement = subtracts(id) ? -(int64_t)by->imm : by->imm;
		from = x->op_count == 2 ? to : from;
	}
	if (to->type != ARM_OP_REG || from->type != ARM_OP_REG || from->shift.type != ARM_SFT_INVALID ||
	    !frame_place(isa, s, arm_number(from->reg), displacement, &below))
		return false;
	frame_set(isa, s, arm_number(to->reg), below);
	return true;
}

static bool writes(csh handle, const cs_insn *insn, unsigned number)
{
	cs_regs written = {0};

	for (uint8_t i = flow_written(handle, insn, written); i-- > 0;)
		if (arm_number(written[i]) == number)
			return true;
	return false;
}

static void arm_lose_written(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	cs_regs written = {0};

	for (uint8_t i = flow_written(handle, insn, written); i-- > 0;)
		frame_lose(isa, s, arm_number(written[i]));
}

static void arm_apply(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	const cs_arm *x = &insn->detail->arm;
	struct instruction flow;

	if (insn->id == 0)
		return;
	isa->find_flow(handle, insn, &flow);
	/* What goes on has not been executed. */
	if (is_conditional(x) && (flow.flow == FLOW_END || flow.flow == FLOW_INDIRECT))
		return;
	if (is_conditional(x)) {
		arm_lose_written(isa, handle, insn, s);
		return;
	}
	switch (insn->id) {
	case ARM_INS_PUSH:
		arm_push(isa, s, x);
		return;
	case ARM_INS_POP:
		arm_pop(isa, s, x);
		return;
	case ARM_INS_SVC: /* capstone takes the link register for written */
	case ARM_INS_HVC:
	case ARM_INS_SMC:
		return;
	case ARM_INS_VPUSH:
		move_by_floats(s, x, -1);
		return;
	case ARM_INS_VPOP:
		move_by_floats(s, x, 1);
		return;
	case ARM_INS_STM:
	case ARM_INS_LDM:
		transfer_many(isa, s, x, insn->id == ARM_INS_STM, false);
		return;
	case ARM_INS_STMDB:
	case ARM_INS_LDMDB:
		transfer_many(isa, s, x, insn->id == ARM_INS_STMDB, true);
		return;
	case ARM_INS_STR:
	case ARM_INS_STRD:
	case ARM_INS_LDR:
	case ARM_INS_LDRD:
		transfer_one(isa, s, x, insn->id == ARM_INS_STR || insn->id == ARM_INS_STRD);
		return;
	default:
		if (!arm_move(isa, s, insn->id, x))
			arm_lose_written(isa, handle, insn, s);
	}
}

/* --- where it goes ----------------------------------------------------------------------------------------------- */

/* An instruction that writes the program counter: a return takes it from the stack or the link register. */
static void write_pc(const cs_insn *insn, struct instruction *out)
{
	const cs_arm *x = &insn->detail->arm;
	bool by_link = x->op_count && x->operands[x->op_count - 1].type == ARM_OP_REG &&
	               arm_number(x->operands[x->op_count - 1].reg) == LR;

	out->returns = insn->id == ARM_INS_POP || insn->id == ARM_INS_LDM || insn->id == ARM_INS_LDMDB ||
	               (insn->id == ARM_INS_LDR && x->writeback && x->operands[1].mem.base == ARM_REG_SP) ||
	               ((insn->id == ARM_INS_BX || insn->id == ARM_INS_MOV) && by_link);
	out->flow = out->returns ? FLOW_END : FLOW_INDIRECT;
}

static void arm_find_flow(csh handle, const cs_insn *insn, struct instruction *out)
{
	const cs_arm *x = &insn->detail->arm;

	out->flow = FLOW_NEXT;
	if (insn->id == 0)
		return;
	out->conditional = is_conditional(x);
	if (x->op_count && x->operands[0].type == ARM_OP_IMM)
		out->target = (uint32_t)x->operands[0].imm;
	switch (insn->id) {
	case ARM_INS_BL:
	case ARM_INS_BLX:
		out->flow = FLOW_CALL;
		out->indirect_call = x->operands[0].type != ARM_OP_IMM;
		break;
	case ARM_INS_B:
		out->flow = out->conditional ? FLOW_BRANCH : FLOW_JUMP;
		break;
	case ARM_INS_CBZ:
	case ARM_INS_CBNZ:
		out->flow = FLOW_BRANCH;
		out->target = (uint32_t)x->operands[1].imm;
		break;
	case ARM_INS_TBB:
	case ARM_INS_TBH:
		out->flow = FLOW_INDIRECT;
		break;
	case ARM_INS_UDF:
	case ARM_INS_BKPT:
		out->flow = FLOW_END;
		break;
	default:
		if (writes(handle, insn, PC))
			write_pc(insn, out);
	}
}

/* --- A32 --------------------------------------------------------------------------------------------------------- */

static uint8_t arm_size(const uint8_t *code, size_t left)
{
	(void)code, (void)left;
	return 4;
}

static bool arm_is_padding(const uint8_t *code, size_t left)
{
	return left < 4 || peek_u32(code) == 0xe320f000 || peek_u32(code) == 0xe1a00000 || peek_u32(code) == 0;
}

/* Bit 0 of a return address says that it is T32 code. */
static uint64_t arm_code_address(uint64_t word)
{
	return word & ~UINT64_C(1);
}

/* --- T32 (Arm ARM, F2.1 and F3.1) -------------------------------------------------------------------------------- */

static uint8_t size_of_t32(const uint8_t *code, size_t left)
{
	return left < 2 ? 0 : peek_u16(code) >= 0xe800 ? 4 : 2;
}

static bool is_it(const uint8_t *code, size_t left)
{
	return left >= 2 && code[1] == 0xbf && (code[0] & 15) != 0;
}

/*
 * Capstone remembers what an IT instruction says of those behind it, but we do not decode one behind the other. So it
 * never sees the program's, and before an instruction that one covers it sees another that covers this one alone.
 */
static bool decode_t32(size_t handle, const uint8_t *code, size_t left, uint64_t address, struct frame_state *s,
                       cs_insn *insn)
{
	const uint8_t it[] = {s ? (uint8_t)((s->it & 0xf0) | 8) : 0, 0xbf}, nop[] = {0x00, 0xbf}, *before = it;
	uint64_t nowhere = 0;
	size_t size = sizeof(it);

	if (is_it(code, left))
		return false;
	if (s && s->it)
		cs_disasm_iter(handle, &before, &size, &nowhere, insn);
	if (cs_disasm_iter(handle, &code, &left, &address, insn))
		return true;
	before = nop;
	size = sizeof(nop);
	cs_disasm_iter(handle, &before, &size, &nowhere, insn);
	return false;
}

static void apply_t32(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	arm_apply(isa, handle, insn, s);
	if (insn->id == 0 && is_it(insn->bytes, insn->size))
		s->it = insn->bytes[0];
	else
		s->it = s->it & 7 ? (uint8_t)((s->it & 0xe0) | (s->it << 1 & 0x1f)) : 0;
}

static bool is_padding_t32(const uint8_t *code, size_t left)
{
	return left < 2 || peek_u16(code) == 0xbf00 || peek_u16(code) == 0x46c0 || peek_u16(code) == 0 ||
	       (left >= 4 && peek_u32(code) == 0x8000f3af);
}

#define COMMON \
	.arch = UPF_ARCH_ARM32, .machine = EM_ARM, .decoder = CS_ARCH_ARM, .word = 4, .regs = 15, .sp = SP, \
	.cfa = ISA_NONE, .link = LR, .ip = PC, .kept = {4, 5, 6, THUMB_FP, 8, 9, 10, FP, LR}, .nkept = 9, \
	.direct_call = 4, .tables_hold_at_calls = true, .kernel_from = 0xc0000000, .find_flow = arm_find_flow, \
	.code_address = arm_code_address

const struct isa isa_arm = {
	COMMON,
	.mode = CS_MODE_ARM,
	.fp = FP,
	.return_offsets = {4, 0},
	.indirect_calls = {4},
	.size = arm_size,
	.apply = arm_apply,
	.is_padding = arm_is_padding,
	.other = &isa_t32,
};

const struct isa isa_t32 = {
	COMMON,
	.mode = CS_MODE_THUMB,
	.fp = THUMB_FP,
	.return_offsets = {4, 4},
	.indirect_calls = {2},
	.size = size_of_t32,
	.decode = decode_t32,
	.apply = apply_t32,
	.is_padding = is_padding_t32,
	.other = &isa_arm,
};
