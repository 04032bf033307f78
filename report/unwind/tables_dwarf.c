/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables_dwarf.c - CFI rows of .eh_frame and .debug_frame. The rules of a frame (frame_rules.h) become a row; of their
 * DWARF expressions (DWARF 4, 2.5) those that compilers and linkers make for frames: sums of a register and constants,
 * perhaps read from memory once. Whatever else an expression does is not evaluated, so a stranger's table cannot loop;
 * on x86-64, libunwind unwinds such a frame.
 */
#include "report/unwind/tables.h"

#include "report/unwind/frame_rules.h"
#include "report/unwind/libunwind_step.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

struct tables {
	const struct isa *isa;
	struct fde_index index;
	struct libunwind_step *step; /* NULL: not x86-64's */
};

/* --- expressions ------------------------------------------------------------------------------------------------- */

#define STACK 8 /* values at once */

/* constant; register + constant; what is in memory at register + constant, + after */
struct value {
	unsigned reg;  /* ISA_NONE: a constant */
	bool from_cfa; /* instead of a register */
	bool deref;
	int64_t constant, after;
};

struct evaluation {
	const struct isa *isa;
	uint64_t ip;
	struct value stack[STACK];
	unsigned n;
};

static bool push_value(struct evaluation *e, struct value v)
{
	if (e->n == STACK)
		return false;
	e->stack[e->n++] = v;
	return true;
}

static bool push_constant(struct evaluation *e, int64_t v)
{
	return push_value(e, (struct value){.reg = ISA_NONE, .constant = v});
}

static bool push_register(struct evaluation *e, uint64_t reg, int64_t offset)
{
	if (reg == e->isa->ip)
		return push_constant(e, (int64_t)(e->ip + (uint64_t)offset));
	return reg < e->isa->regs && push_value(e, (struct value){.reg = (unsigned)reg, .constant = offset});
}

static bool is_constant(const struct value *v)
{
	return v->reg == ISA_NONE && !v->from_cfa;
}

static bool add_constant(struct value *v, uint64_t constant)
{
	int64_t *to = v->deref ? &v->after : &v->constant;

	*to = (int64_t)((uint64_t)*to + constant);
	return true;
}

/* The two topmost values become one. */
static bool combine(struct evaluation *e, uint8_t op)
{
	struct value *a, b;
	uint64_t x, y;

	if (e->n < 2)
		return false;
	b = e->stack[--e->n];
	a = &e->stack[e->n - 1];
	if (op == DW_OP_plus && is_constant(a)) {
		struct value constant = *a;

		*a = b;
		b = constant;
	}
	if (!is_constant(&b))
		return false;
	x = (uint64_t)a->constant;
	y = (uint64_t)b.constant;
	if (op == DW_OP_plus || op == DW_OP_minus)
		return add_constant(a, op == DW_OP_plus ? y : -y);
	if (!is_constant(a))
		return false;
	switch (op) {
	case DW_OP_and:
		a->constant = (int64_t)(x & y);
		return true;
	case DW_OP_ge:
		a->constant = a->constant >= b.constant;
		return true;
	case DW_OP_shl:
		a->constant = y < 64 ? (int64_t)(x << y) : 0;
		return true;
	default:
		return false;
	}
}

static bool dereference(struct evaluation *e)
{
	struct value *v = e->n ? &e->stack[e->n - 1] : NULL;

	if (!v || v->deref || is_constant(v))
		return false;
	v->deref = true;
	return true;
}

static int64_t get_constant(struct cursor *in, uint8_t op)
{
	if (op == DW_OP_constu)
		return (int64_t)get_varint(in);
	if (op == DW_OP_consts)
		return get_sleb(in);
	return (int64_t)get_integer(in, 1u << (op - DW_OP_const1u) / 2, (op - DW_OP_const1u) % 2);
}

static bool evaluate_one(struct evaluation *e, struct cursor *in)
{
	uint8_t op = get_u8(in);
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push_constant(e, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_register(e, op - DW_OP_breg0, get_sleb(in));
	switch (op) {
	case DW_OP_const1u ... DW_OP_consts: /* two of each size, and two of variable length */
		return push_constant(e, get_constant(in, op));
	case DW_OP_bregx:
		reg = get_varint(in);
		return push_register(e, reg, get_sleb(in));
	case DW_OP_plus_uconst:
		return e->n && add_constant(&e->stack[e->n - 1], get_varint(in));
	case DW_OP_deref:
		return dereference(e);
	default:
		return combine(e, op);
	}
}

/* The result is the topmost value. A register's expression begins with the CFA on the stack, the CFA's with nothing. */
static const struct value *evaluate(struct evaluation *e, const struct frame_rule *rule, bool with_cfa)
{
	struct cursor in = cursor_of(rule->expression, rule->size);
	bool fine = true;

	if (with_cfa)
		push_value(e, (struct value){.reg = ISA_NONE, .from_cfa = true});
	while (fine && cursor_left(&in))
		fine = evaluate_one(e, &in) && !in.bad;
	return fine && e->n != 0 ? &e->stack[e->n - 1] : NULL;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static bool fits(int64_t offset)
{
	return offset == (int32_t)offset;
}

static int find_cfa(const struct isa *isa, uint64_t ip, const struct frame_rule *rule, struct cfi_row *row)
{
	struct evaluation e = {.isa = isa, .ip = ip};
	const struct value sum = {.reg = rule->reg, .constant = rule->offset}, *v = NULL;

	if (rule->kind == RULE_REGISTER)
		v = &sum;
	else if (rule->kind == RULE_EXPRESSION_VALUE)
		v = evaluate(&e, rule, false);
	if (!v || is_constant(v) || v->from_cfa || !fits(v->constant) || !fits(v->after))
		return -ENODATA;
	row->cfa_base = (uint8_t)v->reg;
	row->cfa_deref = v->deref;
	row->cfa_offset = (int32_t)v->constant;
	row->cfa_after = (int32_t)v->after;
	return 0;
}

static enum cfi_where find_by_expression(const struct isa *isa, uint64_t ip, const struct frame_rule *rule,
                                         int32_t *offset)
{
	struct evaluation e = {.isa = isa, .ip = ip};
	const struct value *v = evaluate(&e, rule, true);
	bool in_memory = rule->kind == RULE_EXPRESSION;

	if (!v || v->deref || !fits(v->constant))
		return CFI_LOST;
	*offset = (int32_t)v->constant;
	if (v->from_cfa)
		return in_memory ? CFI_SAVED : CFI_VALUE;
	return in_memory && v->reg == isa->fp ? CFI_SAVED_BY_FP : CFI_LOST;
}

/* Where the caller's value of a register is; CFI_LOST also for what a row cannot say. */
static enum cfi_where find_register(const struct isa *isa, uint64_t ip, const struct frame_rule *rule, int32_t *offset)
{
	*offset = 0;
	switch (rule->kind) {
	case RULE_NONE: /* it is one that calls preserve */
	case RULE_SAME:
		return CFI_SAME;
	case RULE_OFFSET:
	case RULE_VALUE:
		if (!fits(rule->offset))
			return CFI_LOST;
		*offset = (int32_t)rule->offset;
		return rule->kind == RULE_OFFSET ? CFI_SAVED : CFI_VALUE;
	case RULE_EXPRESSION:
	case RULE_EXPRESSION_VALUE:
		return find_by_expression(isa, ip, rule, offset);
	default:
		return CFI_LOST;
	}
}

/* The return address is what a column has that is a register only where calls put it into one. */
static int return_rule(const struct isa *isa, uint64_t ip, const struct frame_rule *rule, struct cfi_row *row)
{
	if (rule->kind == RULE_UNDEFINED) {
		row->kind = CFI_ROOT;
		return 0;
	}
	switch (find_register(isa, ip, rule, &row->ra_offset)) {
	case CFI_SAVED:
		return 0;
	case CFI_SAME:
		row->ra = CFI_RA_LINK;
		return isa->link != ISA_NONE ? 0 : -ENODATA;
	default:
		return -ENODATA;
	}
}

/* @more: a rule of the frame needs more than a row can say. */
static void find_kept(const struct isa *isa, uint64_t ip, const struct frame_rule *rule, unsigned r,
                      struct cfi_row *row, bool *more)
{
	row->reg[r].where = (uint8_t)find_register(isa, ip, rule, &row->reg[r].offset);
	*more |= row->reg[r].where == CFI_LOST && rule->kind >= RULE_EXPRESSION;
}

static int make_dwarf_row(const struct isa *isa, uint64_t ip, const struct fde_program *p,
                          const struct frame_rules *rules, struct cfi_row *row, bool *more)
{
	int rc;

	*row = (struct cfi_row){.kind = CFI_CALLER, .interrupted = p->interrupted};
	*more = false;
	rc = return_rule(isa, ip, &rules->column[p->column], row);
	if (row->kind == CFI_ROOT)
		return 0;
	if (rc == 0)
		rc = find_cfa(isa, ip, &rules->cfa, row);
	*more = rc != 0;
	for (unsigned r = 0; r < isa->regs; r++)
		row->reg[r].where = CFI_LOST;
	for (unsigned k = 0; k < isa->nkept; k++)
		find_kept(isa, ip, &rules->column[isa->kept[k]], isa->kept[k], row, more);
	row->reg[isa->sp].where = CFI_VALUE; /* the CFA, but where an interrupt's code says otherwise */
	if (rules->column[isa->sp].kind > RULE_SAME)
		find_kept(isa, ip, &rules->column[isa->sp], isa->sp, row, more);
	return rc;
}

int tables_row(const struct tables *t, uint64_t address, struct cfi_row *row)
{
	const struct fde *fde = fde_find(&t->index, address);
	struct frame_rules rules;
	struct fde_program p;
	bool more;
	int rc;

	if (!fde)
		return -ENOENT;
	rc = fde_program(&t->index, fde, &p);
	if (rc == 0)
		rc = frame_rules_at(t->isa, &p, fde->start, address, &rules);
	if (rc != 0)
		return rc;
	rc = make_dwarf_row(t->isa, address, &p, &rules, row, &more);
	return more && t->step && !fde->debug ? -ENOTSUP : rc;
}

int tables_step(const struct tables *t, uint64_t address, struct registers *r, const struct memory *m)
{
	const struct fde *fde = fde_find(&t->index, address);

	return fde ? libunwind_step(t->step, fde, address, r, m) : -EBADMSG;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

void tables_free(struct tables *t)
{
	if (!t)
		return;
	libunwind_step_free(t->step);
	fde_free(&t->index);
	free(t);
}

struct tables *tables_new(struct image *image)
{
	struct tables *t = image_isa(image) ? calloc(1, sizeof(*t)) : NULL;
	int rc;

	if (!t) {
		errno = image_isa(image) ? ENOMEM : ENOENT;
		return NULL;
	}
	t->isa = image_isa(image);
	rc = fde_index(&t->index, image);
	if (rc == 0 && t->index.n == 0)
		rc = -ENOENT;
	if (rc == 0 && t->isa == &isa_x86_64 && !(t->step = libunwind_step_new(image, &t->index)))
		rc = -ENOMEM;
	if (rc == 0)
		return t;
	tables_free(t);
	errno = -rc;
	return NULL;
}
