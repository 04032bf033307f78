/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/flow.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8
#define FRAME_MAX (1 << 30) /* bytes: what lies farther from the CFA is in no frame, whatever the code says */

struct flow_reader {
	csh handle;
	cs_insn *insn;
};

struct flow_reader *flow_open(void)
{
	struct flow_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &r->handle) != CS_ERR_OK) {
		free(r);
		errno = ENOMEM;
		return NULL;
	}
	cs_option(r->handle, CS_OPT_DETAIL, CS_OPT_ON);
	r->insn = cs_malloc(r->handle);
	if (!r->insn) {
		flow_close(r);
		errno = ENOMEM;
		return NULL;
	}
	return r;
}

void flow_close(struct flow_reader *r)
{
	if (!r)
		return;
	if (r->insn)
		cs_free(r->insn, 1);
	cs_close(&r->handle);
	free(r);
}

/* The return address has just been pushed. */
struct frame_state flow_entry(void)
{
	return (struct frame_state){.sp_known = true, .sp = WORD};
}

static bool same_kept(const struct frame_state *a, const struct frame_state *b)
{
	for (int k = 0; k < KEPT; k++)
		if (a->kept[k].where != b->kept[k].where ||
		    (a->kept[k].where == CFI_SAVED && a->kept[k].offset != b->kept[k].offset))
			return false;
	return true;
}

bool flow_same(const struct frame_state *a, const struct frame_state *b)
{
	return a->sp_known == b->sp_known && a->fp_known == b->fp_known && a->r10_known == b->r10_known &&
	       a->copied == b->copied && (!a->sp_known || a->sp == b->sp) && (!a->fp_known || a->fp == b->fp) &&
	       same_kept(a, b);
}

bool flow_meet(struct frame_state *a, const struct frame_state *b)
{
	a->sp_known &= b->sp_known && a->sp == b->sp && a->copied == b->copied;
	a->fp_known &= b->fp_known && a->fp == b->fp;
	a->r10_known &= b->r10_known;
	for (int k = 0; k < KEPT; k++)
		if (a->kept[k].where != b->kept[k].where || a->kept[k].offset != b->kept[k].offset)
			a->kept[k].where = CFI_LOST;
	return a->sp_known || a->fp_known || a->r10_known;
}

static const uint8_t number_of[KEPT] = {[KEPT_RBX] = X86_RBX, [KEPT_FP] = X86_FP,   [KEPT_R12] = X86_R12,
                                        [KEPT_R13] = X86_R13, [KEPT_R14] = X86_R14, [KEPT_R15] = X86_R15};

bool flow_row(const struct frame_state *s, struct cfi_row *row)
{
	*row = (struct cfi_row){.kind = CFI_CALLER, .ra_offset = -WORD};
	if (s->copied && s->r10_known) {
		row->cfa_base = X86_R10; /* the true one: about to leave an aligned frame */
	} else if (s->sp_known) {
		row->cfa_base = X86_SP;
		row->cfa_offset = s->sp;
		row->kind = s->sp < WORD ? CFI_POPPED : CFI_CALLER;
	} else if (s->fp_known) {
		row->cfa_base = X86_FP;
		row->cfa_offset = s->fp;
	} else if (s->r10_known) {
		row->cfa_base = X86_R10;
	} else {
		return false;
	}
	for (unsigned r = 0; r < X86_REGS; r++)
		row->reg[r].where = CFI_LOST;
	row->reg[X86_SP].where = s->copied && row->cfa_base != X86_R10 ? CFI_LOST : CFI_VALUE;
	for (int k = 0; k < KEPT; k++) {
		row->reg[number_of[k]].where = s->kept[k].where;
		row->reg[number_of[k]].offset = s->kept[k].offset;
	}
	return true;
}

/* --- registers --------------------------------------------------------------------------------------------------- */

/* Which of the preserved ones a register, whole or in part, is: KEPT for none. */
static int kept_of(unsigned reg)
{
	switch (reg) {
	case X86_REG_RBX:
	case X86_REG_EBX:
	case X86_REG_BX:
	case X86_REG_BL:
	case X86_REG_BH:
		return KEPT_RBX;
	case X86_REG_RBP:
	case X86_REG_EBP:
	case X86_REG_BP:
	case X86_REG_BPL:
		return KEPT_FP;
	case X86_REG_R12:
	case X86_REG_R12D:
	case X86_REG_R12W:
	case X86_REG_R12B:
		return KEPT_R12;
	case X86_REG_R13:
	case X86_REG_R13D:
	case X86_REG_R13W:
	case X86_REG_R13B:
		return KEPT_R13;
	case X86_REG_R14:
	case X86_REG_R14D:
	case X86_REG_R14W:
	case X86_REG_R14B:
		return KEPT_R14;
	case X86_REG_R15:
	case X86_REG_R15D:
	case X86_REG_R15W:
	case X86_REG_R15B:
		return KEPT_R15;
	default:
		return KEPT;
	}
}

/* The register is written with something else. Its caller's value is where it was saved, or gone. */
static void lose(struct frame_state *s, unsigned reg)
{
	int k = kept_of(reg);

	if (k == KEPT_FP)
		s->fp_known = false;
	if (k != KEPT && s->kept[k].where == CFI_SAME)
		s->kept[k].where = CFI_LOST;
	if (reg == X86_REG_R10 || reg == X86_REG_R10D)
		s->r10_known = false;
	if (reg == X86_REG_RSP || reg == X86_REG_ESP || reg == X86_REG_SP)
		s->sp_known = false;
}

/* A register goes into the word at CFA - @below. */
static void save(struct frame_state *s, unsigned reg, int32_t below)
{
	int k = kept_of(reg);

	if (k != KEPT && s->kept[k].where == CFI_SAME) {
		s->kept[k].where = CFI_SAVED;
		s->kept[k].offset = -below;
	}
}

/* A register comes out of the word at CFA - @below. */
static void restore(struct frame_state *s, unsigned reg, int32_t below)
{
	int k = kept_of(reg);
	bool is_back = k != KEPT && s->kept[k].where == CFI_SAVED && s->kept[k].offset == -below;

	lose(s, reg);
	if (is_back)
		s->kept[k].where = CFI_SAME;
}

/* Is CFA - @below near enough, so that @below, -@below and their sums fit? */
static bool in_frame(int64_t below)
{
	return below >= -FRAME_MAX && below <= FRAME_MAX;
}

static void move_sp(struct frame_state *s, int64_t up)
{
	int64_t sp = s->sp - up;

	if (in_frame(sp))
		s->sp = (int32_t)sp;
	else
		s->sp_known = false;
}

/* --- instructions that matter ------------------------------------------------------------------------------------ */

/* Is @m base + displacement, of a base that is known? Then it is CFA - *below. */
static bool place(const struct frame_state *s, const x86_op_mem *m, int32_t *below)
{
	int64_t at;

	if (m->index != X86_REG_INVALID || m->segment != X86_REG_INVALID)
		return false;
	if (m->base == X86_REG_RSP && s->sp_known)
		at = s->sp - m->disp;
	else if (m->base == X86_REG_RBP && s->fp_known)
		at = s->fp - m->disp;
	else if (m->base == X86_REG_R10 && s->r10_known)
		at = -m->disp;
	else
		return false;
	*below = (int32_t)at;
	return in_frame(at);
}

static void push(struct frame_state *s, const cs_x86_op *o)
{
	int32_t below;

	move_sp(s, -WORD);
	if (o->type == X86_OP_REG && s->sp_known)
		save(s, o->reg, s->sp);
	/* gcc aligns a frame: and copies the return address, so that frame pointers lead on. */
	if (o->type == X86_OP_MEM && !s->sp_known && s->r10_known && place(s, &o->mem, &below) && below == WORD) {
		s->sp_known = s->copied = true;
		s->sp = WORD;
		s->r10_known = false;
	}
}

static void pop(struct frame_state *s, const cs_x86_op *o)
{
	if (o->type == X86_OP_REG && s->sp_known)
		restore(s, o->reg, s->sp);
	else if (o->type == X86_OP_REG)
		lose(s, o->reg);
	if (o->type != X86_OP_REG || o->reg != X86_REG_RSP)
		move_sp(s, WORD);
	if (s->copied && o->type == X86_OP_REG && o->reg == X86_REG_R10)
		s->r10_known = true;
}

static void leave(struct frame_state *s)
{
	s->sp_known = s->fp_known;
	s->sp = s->fp;
	if (s->sp_known)
		restore(s, X86_REG_RBP, s->sp);
	else
		lose(s, X86_REG_RBP);
	move_sp(s, WORD);
}

/* A register gets the address CFA - @below. */
static void set_address(struct frame_state *s, unsigned reg, int32_t below)
{
	lose(s, reg);
	if (reg == X86_REG_RSP) {
		s->sp_known = true;
		s->sp = below;
	} else if (reg == X86_REG_RBP) {
		s->fp_known = true;
		s->fp = below;
	} else if (reg == X86_REG_R10) {
		s->r10_known = below == 0;
	}
}

/* mov and lea, as far as they move addresses of this frame or save registers. False: any other. */
static bool move(struct frame_state *s, unsigned id, const cs_x86 *x)
{
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];
	int32_t below;

	if (x->op_count != 2 || to->size != WORD)
		return false;
	if (id == X86_INS_LEA && to->type == X86_OP_REG && place(s, &from->mem, &below)) {
		set_address(s, to->reg, below);
		return true;
	}
	if (id != X86_INS_MOV)
		return false;
	if (to->type == X86_OP_MEM && from->type == X86_OP_REG && place(s, &to->mem, &below)) {
		save(s, from->reg, below);
		return true;
	}
	if (to->type != X86_OP_REG)
		return false;
	if (from->type == X86_OP_MEM && place(s, &from->mem, &below)) {
		restore(s, to->reg, below);
		return true;
	}
	if (from->type == X86_OP_REG && from->reg == X86_REG_RSP && s->sp_known) {
		set_address(s, to->reg, s->sp);
		return true;
	}
	if (from->type == X86_OP_REG && from->reg == X86_REG_RBP && s->fp_known) {
		set_address(s, to->reg, s->fp);
		return true;
	}
	return false;
}

/* add and sub of a constant to the stack pointer. */
static bool adjust(struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if ((id != X86_INS_ADD && id != X86_INS_SUB) || x->op_count != 2 || x->operands[0].type != X86_OP_REG ||
	    x->operands[0].reg != X86_REG_RSP || x->operands[1].type != X86_OP_IMM)
		return false;
	move_sp(s, id == X86_INS_ADD ? x->operands[1].imm : -x->operands[1].imm);
	return true;
}

/* gcc takes r10 back from an aligned frame: it was pushed behind the frame pointer. */
static void take_back_r10(struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if (s->copied && id == X86_INS_MOV && x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
	    x->operands[0].reg == X86_REG_R10 && x->operands[1].type == X86_OP_MEM &&
	    x->operands[1].mem.base == X86_REG_RBP)
		s->r10_known = true;
}

/* And the stack pointer from r10: the return address itself again. */
static bool leave_aligned(struct frame_state *s, unsigned id, const cs_x86 *x)
{
	if (!s->copied || id != X86_INS_LEA || x->operands[0].reg != X86_REG_RSP ||
	    x->operands[1].mem.base != X86_REG_R10 || x->operands[1].mem.disp != -WORD)
		return false;
	s->copied = s->r10_known = false;
	s->sp_known = true;
	s->sp = WORD;
	return true;
}

static void lose_written(const struct flow_reader *r, struct frame_state *s)
{
	cs_regs read, written;
	uint8_t nread, nwritten;

	if (cs_regs_access(r->handle, r->insn, read, &nread, written, &nwritten) != CS_ERR_OK)
		return;
	for (uint8_t i = 0; i < nwritten; i++)
		lose(s, written[i]);
}

static void apply(const struct flow_reader *r, struct frame_state *s)
{
	const cs_x86 *x = &r->insn->detail->x86;
	unsigned id = r->insn->id;

	switch (id) {
	case X86_INS_PUSH:
		push(s, &x->operands[0]);
		return;
	case X86_INS_PUSHFQ:
		move_sp(s, -WORD);
		return;
	case X86_INS_POP:
		pop(s, &x->operands[0]);
		return;
	case X86_INS_POPFQ:
		move_sp(s, WORD);
		return;
	case X86_INS_LEAVE:
		leave(s);
		return;
	case X86_INS_CALL:
		s->r10_known = false;
		return;
	default:
		break;
	}
	if (!leave_aligned(s, id, x) && !move(s, id, x) && !adjust(s, id, x))
		lose_written(r, s);
	take_back_r10(s, id, x);
}

/* --- where it goes ----------------------------------------------------------------------------------------------- */

static bool in_group(const struct flow_reader *r, unsigned group)
{
	return cs_insn_group(r->handle, r->insn, group);
}

static void find_flow(const struct flow_reader *r, struct instruction *out)
{
	const cs_x86 *x = &r->insn->detail->x86;
	bool direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;

	out->flow = FLOW_NEXT;
	out->target = direct ? (uint64_t)x->operands[0].imm : 0;
	if (in_group(r, CS_GRP_CALL) && (r->insn->id == X86_INS_CALL || r->insn->id == X86_INS_LCALL)) {
		out->flow = FLOW_CALL;
		out->indirect_call = !direct;
	} else if (r->insn->id == X86_INS_JMP || r->insn->id == X86_INS_LJMP) {
		out->flow = direct ? FLOW_JUMP : FLOW_INDIRECT;
	} else if (in_group(r, CS_GRP_JUMP)) {
		out->flow = FLOW_BRANCH;
	} else if (in_group(r, CS_GRP_RET) || in_group(r, CS_GRP_IRET) || r->insn->id == X86_INS_UD2 ||
	           r->insn->id == X86_INS_SYSRET || r->insn->id == X86_INS_INT3) {
		out->flow = FLOW_END;
	}
}

bool flow_step(struct flow_reader *r, const uint8_t *code, size_t left, uint64_t address, struct frame_state *state,
               struct instruction *out)
{
	*out = (struct instruction){0};
	if (!cs_disasm_iter(r->handle, &code, &left, &address, r->insn))
		return false;
	out->size = (uint8_t)r->insn->size;
	find_flow(r, out);
	if (state)
		apply(r, state);
	return true;
}
