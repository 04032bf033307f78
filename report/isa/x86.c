/* SPDX-License-Identifier: BSD-2-Clause */
/* x86.c - x86-64 and i386. */
#include "report/isa/x86.h"
#include "report/isa/flow.h"
#include "format/upf.h"

#include <capstone/capstone.h>
#include <elf.h>

/* --- registers --------------------------------------------------------------------------------------------------- */

/* The number of a register, whole or in part, that matters to a frame: rbx to r15, ecx to edi. */
static unsigned x86_number(const struct isa *isa, unsigned reg)
{
	static const struct {
		uint8_t long_mode, i386;
	} numbers[X86_REG_ENDING] = {
		[X86_REG_RBX] = {X86_RBX, 0},       [X86_REG_EBX] = {X86_RBX, I386_EBX},
		[X86_REG_BX] = {X86_RBX, I386_EBX}, [X86_REG_BL] = {X86_RBX, I386_EBX},
		[X86_REG_BH] = {X86_RBX, I386_EBX}, [X86_REG_RBP] = {X86_FP, 0},
		[X86_REG_EBP] = {X86_FP, I386_FP},  [X86_REG_BP] = {X86_FP, I386_FP},
		[X86_REG_BPL] = {X86_FP, 0},        [X86_REG_RSP] = {X86_SP, 0},
		[X86_REG_ESP] = {X86_SP, I386_SP},  [X86_REG_SP] = {X86_SP, I386_SP},
		[X86_REG_ECX] = {0, I386_ECX},      [X86_REG_CX] = {0, I386_ECX},
		[X86_REG_CL] = {0, I386_ECX},       [X86_REG_CH] = {0, I386_ECX},
		[X86_REG_ESI] = {0, I386_ESI},      [X86_REG_SI] = {0, I386_ESI},
		[X86_REG_EDI] = {0, I386_EDI},      [X86_REG_DI] = {0, I386_EDI},
		[X86_REG_R10] = {X86_R10, 0},       [X86_REG_R10D] = {X86_R10, 0},
		[X86_REG_R12] = {X86_R12, 0},       [X86_REG_R12D] = {X86_R12, 0},
		[X86_REG_R12W] = {X86_R12, 0},      [X86_REG_R12B] = {X86_R12, 0},
		[X86_REG_R13] = {X86_R13, 0},       [X86_REG_R13D] = {X86_R13, 0},
		[X86_REG_R13W] = {X86_R13, 0},      [X86_REG_R13B] = {X86_R13, 0},
		[X86_REG_R14] = {X86_R14, 0},       [X86_REG_R14D] = {X86_R14, 0},
		[X86_REG_R14W] = {X86_R14, 0},      [X86_REG_R14B] = {X86_R14, 0},
		[X86_REG_R15] = {X86_R15, 0},       [X86_REG_R15D] = {X86_R15, 0},
		[X86_REG_R15W] = {X86_R15, 0},      [X86_REG_R15B] = {X86_R15, 0},
	};
	unsigned number = reg >= X86_REG_ENDING ? 0 : isa->word == 8 ? numbers[reg].long_mode : numbers[reg].i386;

	return number ? number : ISA_NONE;
}

/* Is @reg, as a whole, the register that addresses of a frame are in? */
static bool x86_is_whole(const struct isa *isa, unsigned reg, unsigned number)
{
	static const uint16_t whole[2][3] = {{X86_REG_ESP, X86_REG_EBP, X86_REG_ECX},
	                                     {X86_REG_RSP, X86_REG_RBP, X86_REG_R10}};
	const uint16_t *of = whole[isa->word == 8];

	return (number == isa->sp && reg == of[0]) || (number == isa->fp && reg == of[1]) ||
	       (number == isa->cfa && reg == of[2]);
}

/* --- instructions that matter ------------------------------------------------------------------------------------ */

/* Is @m base + displacement, of a base that is known? Then it is CFA - *below. */
static bool x86_frame_slot(const struct isa *isa, const struct frame_state *s, const x86_op_mem *m, int32_t *below)
{
	unsigned base = x86_number(isa, m->base);

	return m->index == X86_REG_INVALID && m->segment == X86_REG_INVALID && x86_is_whole(isa, m->base, base) &&
	       frame_place(isa, s, base, m->disp, below);
}

static void x86_push(const struct isa *isa, struct frame_state *s, const cs_x86_op *o)
{
	int32_t below;

	frame_move_sp(s, -isa->word);
	if (o->type == X86_OP_REG && s->sp_known)
		frame_save(isa, s, x86_number(isa, o->reg), s->sp);
	/* gcc aligns a frame: and copies the return address, so that frame pointers lead on. */
	if (o->type == X86_OP_MEM && !s->sp_known && s->cfa_known && x86_frame_slot(isa, s, &o->mem, &below) &&
	    below == isa->word) {
		s->sp_known = s->copied = true;
		s->sp = isa->word;
		s->cfa_known = false;
	}
}

static void x86_pop(const struct isa *isa, struct frame_state *s, const cs_x86_op *o)
{
	unsigned reg = o->type == X86_OP_REG ? x86_number(isa, o->reg) : ISA_NONE;

	if (s->sp_known)
		frame_restore(isa, s, reg, s->sp);
	else
		frame_lose(isa, s, reg);
	if (reg != isa->sp)
		frame_move_sp(s, isa->word);
	if (s->copied && reg == isa->cfa)
		s->cfa_known = true;
}

static void leave(const struct isa *isa, struct frame_state *s)
{
	s->sp_known = s->fp_known;
	s->sp = s->fp;
	if (s->sp_known)
		frame_restore(isa, s, isa->fp, s->sp);
	else
		frame_lose(isa, s, isa->fp);
	frame_move_sp(s, isa->word);
}

/* mov and lea, as far as they move addresses of this frame or save registers. False: any other. */
static bool x86_move(const struct isa *isa, struct frame_state *s, unsigned id, const cs_x86 *x)
{
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];
	int32_t below;

	if (x->op_count != 2 || to->size != isa->word)
		return false;
	if (id == X86_INS_LEA && to->type == X86_OP_REG && x86_frame_slot(isa, s, &from->mem, &below)) {
		frame_set(isa, s, x86_number(isa, to->reg), below);
		return true;
	}
	if (id != X86_INS_MOV)
		return false;
	if (to->type == X86_OP_MEM && from->type == X86_OP_REG && x86_frame_slot(isa, s, &to->mem, &below)) {
		frame_save(isa, s, x86_number(isa, from->reg), below);
		return true;
	}
	if (to->type != X86_OP_REG)
		return false;
	if (from->type == X86_OP_MEM && x86_frame_slot(isa, s, &from->mem, &below)) {
		frame_restore(isa, s, x86_number(isa, to->reg), below);
		return true;
	}
	if (from->type == X86_OP_REG && x86_number(isa, from->reg) != isa->cfa &&
	    frame_place(isa, s, x86_number(isa, from->reg), 0, &below)) {
		frame_set(isa, s, x86_number(isa, to->reg), below);
		return true;
	}
	return false;
}

/* add and sub of a constant to the stack pointer. */
static bool adjust(const struct isa *isa, struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if ((id != X86_INS_ADD && id != X86_INS_SUB) || x->op_count != 2 || x->operands[0].type != X86_OP_REG ||
	    !x86_is_whole(isa, x->operands[0].reg, isa->sp) || x->operands[1].type != X86_OP_IMM)
		return false;
	frame_move_sp(s, id == X86_INS_ADD ? x->operands[1].imm : -x->operands[1].imm);
	return true;
}

/* gcc takes the CFA back from an aligned frame: it was pushed behind the frame pointer. */
static void take_back_cfa(const struct isa *isa, struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if (s->copied && id == X86_INS_MOV && x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
	    x86_is_whole(isa, x->operands[0].reg, isa->cfa) && x->operands[1].type == X86_OP_MEM &&
	    x86_is_whole(isa, x->operands[1].mem.base, isa->fp))
		s->cfa_known = true;
}

/* And the stack pointer from it: the return address itself again. */
static bool leave_aligned(const struct isa *isa, struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if (!s->copied || id != X86_INS_LEA || !x86_is_whole(isa, x->operands[0].reg, isa->sp) ||
	    !x86_is_whole(isa, x->operands[1].mem.base, isa->cfa) || x->operands[1].mem.disp != -isa->word)
		return false;
	s->copied = s->cfa_known = false;
	s->sp_known = true;
	s->sp = isa->word;
	return true;
}

static void x86_lose_written(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	cs_regs written = {0};

	for (uint8_t i = flow_written(handle, insn, written); i-- > 0;)
		frame_lose(isa, s, x86_number(isa, written[i]));
}

static void x86_apply(const struct isa *isa, csh handle, const cs_insn *insn, struct frame_state *s)
{
	const cs_x86 *x = &insn->detail->x86;
	unsigned id = insn->id;

	switch (id) {
	case X86_INS_PUSH:
		x86_push(isa, s, &x->operands[0]);
		return;
	case X86_INS_PUSHFQ:
	case X86_INS_PUSHFD:
		frame_move_sp(s, -isa->word);
		return;
	case X86_INS_POP:
		x86_pop(isa, s, &x->operands[0]);
		return;
	case X86_INS_POPFQ:
	case X86_INS_POPFD:
		frame_move_sp(s, isa->word);
		return;
	case X86_INS_LEAVE:
		leave(isa, s);
		return;
	case X86_INS_CALL:
		s->cfa_known = false;
		return;
	default:
		break;
	}
	if (!leave_aligned(isa, s, id, x) && !x86_move(isa, s, id, x) && !adjust(isa, s, id, x))
		x86_lose_written(isa, handle, insn, s);
	take_back_cfa(isa, s, id, x);
}

/* --- where it goes ----------------------------------------------------------------------------------------------- */

static void x86_find_flow(csh handle, const cs_insn *insn, struct instruction *out)
{
	const cs_x86 *x = &insn->detail->x86;
	bool direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;

	out->flow = FLOW_NEXT;
	out->target = direct ? (uint64_t)x->operands[0].imm : 0;
	if (cs_insn_group(handle, insn, CS_GRP_CALL) && (insn->id == X86_INS_CALL || insn->id == X86_INS_LCALL)) {
		out->flow = FLOW_CALL;
		out->indirect_call = !direct;
	} else if (insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP) {
		out->flow = direct ? FLOW_JUMP : FLOW_INDIRECT;
	} else if (cs_insn_group(handle, insn, CS_GRP_JUMP)) {
		out->flow = FLOW_BRANCH;
	} else if (cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_IRET) ||
	           insn->id == X86_INS_UD2 || insn->id == X86_INS_SYSRET || insn->id == X86_INS_INT3) {
		out->flow = FLOW_END;
		out->returns = insn->id == X86_INS_RET || insn->id == X86_INS_SYSRET;
		out->resumes = insn->id == X86_INS_IRET || insn->id == X86_INS_IRETD || insn->id == X86_INS_IRETQ;
		out->pops = out->returns ? (uint16_t)out->target : 0;
	}
}

static bool x86_is_padding(const uint8_t *code, size_t left)
{
	return *code == 0xcc || *code == 0x90 || (left > 1 && code[0] == 0x0f && code[1] == 0x1f) ||
	       (left > 1 && code[0] == 0x66 &&
	        (code[1] == 0x90 || code[1] == 0x2e || code[1] == 0x66 || code[1] == 0x0f));
}

/* Assemblers also fill gaps with lea 0(%esi), %esi, in all lengths, and mov %esi, %esi. */
static bool is_padding_i386(const uint8_t *code, size_t left)
{
	size_t i = code[0] == 0x2e || code[0] == 0x66;

	return x86_is_padding(code, left) || (left > 1 && code[0] == 0x89 && code[1] == 0xf6) ||
	       (left > i + 2 && code[i] == 0x8d &&
	        ((code[i + 1] == 0x76 && code[i + 2] == 0) || (code[i + 1] == 0xb6 && code[i + 2] == 0) ||
	         ((code[i + 1] == 0x74 || code[i + 1] == 0xb4) && code[i + 2] == 0x26)));
}

/* --- hypercall stubs --------------------------------------------------------------------------------------------- */

#define STUB 32u      /* bytes of a stub */
#define STUB_IRET 23u /* does not return */

/*
 * For a PV guest a stub is (xen/arch/x86/pv/hypercall.c): push %rcx; push %r11; mov $number,%eax; syscall; pop %r11;
 * pop %rcx; ret. For HVM and PVH: mov; vmcall or vmmcall; ret.
 */
static bool stub_depth_64(uint64_t offset, bool pv, int32_t *pushed)
{
	static const uint8_t by_offset[] = {[0] = 0, [1] = 8, [3] = 16, [8] = 16, [10] = 16, [12] = 8, [13] = 0};
	uint64_t at = offset % STUB;

	if (!pv) {
		*pushed = 0;
		return at == 0 || at == 5 || at == 8;
	}
	if (offset / STUB == STUB_IRET || at >= sizeof(by_offset) || (by_offset[at] == 0 && at != 0 && at != 13))
		return false;
	*pushed = by_offset[at];
	return true;
}

/* For a PV guest: mov; int $0x82; ret (xen/arch/x86/pv/hypercall.c). For HVM and PVH as above. */
static bool stub_depth_32(uint64_t offset, bool pv, int32_t *pushed)
{
	uint64_t at = offset % STUB;

	*pushed = 0;
	return (at == 0 || at == 5 || at == (pv ? 7 : 8)) && (!pv || offset / STUB != STUB_IRET);
}

const struct isa isa_x86_64 = {
	.arch = UPF_ARCH_X86_64,
	.machine = EM_X86_64,
	.decoder = CS_ARCH_X86,
	.mode = CS_MODE_64,
	.word = 8,
	.regs = X86_REGS,
	.sp = X86_SP,
	.fp = X86_FP,
	.cfa = X86_R10,
	.link = ISA_NONE,
	.ip = X86_REGS,
	.kept = {X86_RBX, X86_FP, X86_R12, X86_R13, X86_R14, X86_R15},
	.nkept = 6,
	.return_offsets = {8, 8},
	.direct_call = 5,
	.indirect_calls = {2, 3, 4, 5, 6, 7, 8, 9},
	.kernel_from = UINT64_C(1) << 63,
	.apply = x86_apply,
	.find_flow = x86_find_flow,
	.is_padding = x86_is_padding,
	.stub_depth = stub_depth_64,
};

const struct isa isa_i386 = {
	.arch = UPF_ARCH_X86_32,
	.machine = EM_386,
	.decoder = CS_ARCH_X86,
	.mode = CS_MODE_32,
	.word = 4,
	.regs = I386_REGS,
	.sp = I386_SP,
	.fp = I386_FP,
	.cfa = I386_ECX,
	.link = ISA_NONE,
	.ip = I386_IP,
	.kept = {I386_EBX, I386_FP, I386_ESI, I386_EDI},
	.nkept = 4,
	.return_offsets = {4, 4},
	.direct_call = 5,
	.indirect_calls = {2, 3, 4, 5, 6, 7, 8, 9},
	.callee_pops = true,
	.kernel_from = 0xc0000000,
	.apply = x86_apply,
	.find_flow = x86_find_flow,
	.is_padding = is_padding_i386,
	.stub_depth = stub_depth_32,
};
