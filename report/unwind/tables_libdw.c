/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables_libdw.c - unwind tables as libdw reads them. It tells where each register is as a DWARF expression (DWARF 4,
 * 2.5). Those that compilers and linkers make for frames come to a CFI row: sums of a register and constants, perhaps
 * read from memory once. Whatever else an expression does is not evaluated, so a stranger's table cannot loop.
 */
#include "report/unwind/tables_reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

struct cfi_tables {
	struct tables base;
	const struct isa *isa;
	struct image *image;
	Dwarf *dwarf;
	Dwarf_CFI *eh, *debug; /* NULL: there is none; the latter is @dwarf's */
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
	bool is_value; /* the register's value itself, not where it is in memory */
};

static bool push(struct evaluation *e, struct value v)
{
	if (e->n == STACK)
		return false;
	e->stack[e->n++] = v;
	return true;
}

static bool push_constant(struct evaluation *e, int64_t v)
{
	return push(e, (struct value){.reg = ISA_NONE, .constant = v});
}

static bool push_register(struct evaluation *e, uint64_t reg, int64_t offset)
{
	if (reg == e->isa->ip)
		return push_constant(e, (int64_t)(e->ip + (uint64_t)offset));
	return reg < e->isa->regs && push(e, (struct value){.reg = (unsigned)reg, .constant = offset});
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

static bool evaluate_one(struct evaluation *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_constant(e, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(e, op->atom - DW_OP_breg0, (int64_t)op->number);
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push_constant(e, (int64_t)op->number);
	case DW_OP_bregx:
		return push_register(e, op->number, (int64_t)op->number2);
	case DW_OP_call_frame_cfa:
		return push(e, (struct value){.reg = ISA_NONE, .from_cfa = true});
	case DW_OP_plus_uconst:
		return e->n && add_constant(&e->stack[e->n - 1], op->number);
	case DW_OP_deref:
		return dereference(e);
	case DW_OP_stack_value:
		e->is_value = true;
		return true;
	default:
		return combine(e, op->atom);
	}
}

/* The result is the topmost value; libdw has the CFA below a register's. */
static const struct value *evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t n)
{
	bool fine = true;

	for (size_t i = 0; fine && i < n; i++)
		fine = evaluate_one(e, &ops[i]);
	return fine && e->n != 0 ? &e->stack[e->n - 1] : NULL;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static bool fits(int64_t offset)
{
	return offset == (int32_t)offset;
}

static int find_cfa(const struct cfi_tables *t, uint64_t ip, Dwarf_Frame *frame, struct cfi_row *row)
{
	struct evaluation e = {.isa = t->isa, .ip = ip};
	const struct value *v;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0)
		return -EBADMSG;
	v = evaluate(&e, ops, n);
	if (!v || is_constant(v) || v->from_cfa || !fits(v->constant) || !fits(v->after))
		return -ENODATA;
	row->cfa_base = (uint8_t)v->reg;
	row->cfa_deref = v->deref;
	row->cfa_offset = (int32_t)v->constant;
	row->cfa_after = (int32_t)v->after;
	return 0;
}

/* Where the caller's value of a register is; CFI_LOST also for what a row cannot say. */
static enum cfi_where find_register(const struct cfi_tables *t, uint64_t ip, Dwarf_Frame *frame, unsigned r,
                                    int32_t *offset)
{
	struct evaluation e = {.isa = t->isa, .ip = ip};
	const struct value *v;
	Dwarf_Op memory[3], *ops;
	size_t n;

	*offset = 0;
	if (dwarf_frame_register(frame, (int)r, memory, &ops, &n) != 0)
		return CFI_LOST;
	if (n == 0)
		return ops ? CFI_LOST : CFI_SAME;
	v = evaluate(&e, ops, n);
	if (!v || v->deref || !fits(v->constant))
		return CFI_LOST;
	*offset = (int32_t)v->constant;
	if (v->from_cfa)
		return e.is_value ? CFI_VALUE : CFI_SAVED;
	return v->reg == t->isa->fp && !e.is_value ? CFI_SAVED_BY_FP : CFI_LOST;
}

/* The return address is what a column has that is a register only where calls put it into one. */
static int find_return(const struct cfi_tables *t, uint64_t ip, Dwarf_Frame *frame, unsigned column,
                       struct cfi_row *row)
{
	switch (find_register(t, ip, frame, column, &row->ra_offset)) {
	case CFI_SAVED:
		return 0;
	case CFI_SAME:
		row->ra = CFI_RA_LINK;
		return t->isa->link != ISA_NONE && column == t->isa->link ? 0 : -ENODATA;
	case CFI_LOST:
		row->kind = CFI_ROOT;
		return 0;
	default:
		return -ENODATA;
	}
}

static int make_row(const struct cfi_tables *t, uint64_t ip, Dwarf_Frame *frame, struct cfi_row *row)
{
	const struct isa *isa = t->isa;
	int column, rc;

	*row = (struct cfi_row){.kind = CFI_CALLER};
	column = dwarf_frame_info(frame, NULL, NULL, &row->interrupted);
	if (column < 0)
		return -EBADMSG;
	rc = find_cfa(t, ip, frame, row);
	if (rc == 0)
		rc = find_return(t, ip, frame, (unsigned)column, row);
	for (unsigned r = 0; r < isa->regs; r++)
		row->reg[r].where = CFI_LOST;
	for (unsigned k = 0; k < isa->nkept; k++)
		row->reg[isa->kept[k]].where =
			(uint8_t)find_register(t, ip, frame, isa->kept[k], &row->reg[isa->kept[k]].offset);
	row->reg[isa->sp].where = CFI_VALUE;
	return rc;
}

static int frame_at(const struct cfi_tables *t, uint64_t linked, Dwarf_Frame **frame)
{
	if (t->eh && dwarf_cfi_addrframe(t->eh, linked, frame) == 0)
		return 0;
	return t->debug && dwarf_cfi_addrframe(t->debug, linked, frame) == 0 ? 0 : -ENOENT;
}

static int find_row(struct tables *tables, uint64_t address, struct cfi_row *row)
{
	const struct cfi_tables *t = (const struct cfi_tables *)tables;
	uint64_t linked = address - image_bias(t->image);
	Dwarf_Frame *frame;
	int rc = frame_at(t, linked, &frame);

	if (rc != 0)
		return rc;
	rc = make_row(t, linked, frame, row);
	free(frame);
	return rc;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static void close_tables(struct tables *tables)
{
	struct cfi_tables *t = (struct cfi_tables *)tables;

	if (t->eh)
		dwarf_cfi_end(t->eh);
	dwarf_end(t->dwarf);
	free(t);
}

struct tables *tables_new_libdw(struct image *image, const struct isa *isa)
{
	static const struct tables_reader reader = {find_row, NULL, close_tables};
	struct cfi_tables *t = calloc(1, sizeof(*t));
	Elf *elf = image_elf(image);

	if (!t)
		return NULL;
	t->base.reader = &reader;
	t->isa = isa;
	t->image = image;
	t->eh = elf ? dwarf_getcfi_elf(elf) : NULL;
	t->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	t->debug = t->dwarf ? dwarf_getcfi(t->dwarf) : NULL;
	if (t->eh || t->debug)
		return &t->base;
	close_tables(&t->base);
	errno = ENOENT;
	return NULL;
}
