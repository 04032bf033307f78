/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_rules.c - executes call frame instructions (DWARF 4, 6.4.2). They come from a stranger: every read and every
 * register number is checked, and instructions only go forward.
 */
#include "report/unwind/frame_rules.h"

#include <dwarf.h>
#include <errno.h>

#define REMEMBERED_MAX 8 /* states at once; compilers nest one or two */

struct machine {
	const struct isa *isa;
	const struct fde_program *program;
	uint64_t location; /* where the rules begin to hold */
	struct cursor in;
	struct frame_rules rules[REMEMBERED_MAX + 1]; /* the current ones above the remembered ones */
	unsigned nremembered;
	const struct frame_rules *common; /* those after the common instructions; NULL: they are being executed */
};

static struct frame_rules *current(struct machine *m)
{
	return &m->rules[m->nremembered];
}

/* --- rules ------------------------------------------------------------------------------------------------------- */

static struct frame_rule register_rule(const struct machine *m, uint64_t reg, int64_t offset)
{
	return (struct frame_rule){
		.kind = RULE_REGISTER, .reg = reg < m->isa->regs ? (uint8_t)reg : ISA_NONE, .offset = offset};
}

static struct frame_rule get_expression(struct machine *m, enum frame_rule_kind kind)
{
	uint64_t size = get_varint(&m->in);
	const uint8_t *bytes = get_bytes(&m->in, size);

	return (struct frame_rule){.kind = (uint8_t)kind, .expression = bytes, .size = bytes ? (uint32_t)size : 0};
}

static int64_t factored(const struct machine *m, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)m->program->data_align);
}

static struct frame_rule offset_rule(const struct machine *m, enum frame_rule_kind kind, uint64_t offset)
{
	return (struct frame_rule){.kind = (uint8_t)kind, .offset = factored(m, offset)};
}

static void set(struct machine *m, uint64_t column, struct frame_rule rule)
{
	if (column < FRAME_COLUMNS)
		current(m)->column[column] = rule;
}

static void restore(struct machine *m, uint64_t column)
{
	if (!m->common)
		m->in.bad = true;
	else if (column < FRAME_COLUMNS)
		current(m)->column[column] = m->common->column[column];
}

static void remember_state(struct machine *m)
{
	if (m->nremembered == REMEMBERED_MAX) {
		m->in.bad = true;
		return;
	}
	m->nremembered++;
	*current(m) = m->rules[m->nremembered - 1];
}

static void restore_state(struct machine *m)
{
	if (m->nremembered == 0)
		m->in.bad = true;
	else
		m->nremembered--;
}

/* --- instructions ------------------------------------------------------------------------------------------------ */

static void advance_location(struct machine *m, uint64_t delta)
{
	m->location += delta * m->program->code_align;
}

/* Those that define the CFA. False: @op is none of them. */
static bool execute_cfa(struct machine *m, uint8_t op)
{
	struct frame_rule *cfa = &current(m)->cfa;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = get_varint(&m->in);
		*cfa = register_rule(m, reg, (int64_t)get_varint(&m->in));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = get_varint(&m->in);
		*cfa = register_rule(m, reg, factored(m, (uint64_t)get_sleb(&m->in)));
		return true;
	case DW_CFA_def_cfa_register:
		*cfa = register_rule(m, get_varint(&m->in), cfa->offset);
		return true;
	case DW_CFA_def_cfa_offset:
		cfa->offset = (int64_t)get_varint(&m->in);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		cfa->offset = factored(m, (uint64_t)get_sleb(&m->in));
		return true;
	case DW_CFA_def_cfa_expression:
		*cfa = get_expression(m, RULE_EXPRESSION_VALUE);
		return true;
	default:
		return false;
	}
}

/* Those that begin with a column. */
static void execute_column(struct machine *m, uint8_t op)
{
	uint64_t column = get_varint(&m->in);

	switch (op) {
	case DW_CFA_offset_extended:
		set(m, column, offset_rule(m, RULE_OFFSET, get_varint(&m->in)));
		break;
	case DW_CFA_offset_extended_sf:
		set(m, column, offset_rule(m, RULE_OFFSET, (uint64_t)get_sleb(&m->in)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set(m, column, offset_rule(m, RULE_OFFSET, -get_varint(&m->in)));
		break;
	case DW_CFA_val_offset:
		set(m, column, offset_rule(m, RULE_VALUE, get_varint(&m->in)));
		break;
	case DW_CFA_val_offset_sf:
		set(m, column, offset_rule(m, RULE_VALUE, (uint64_t)get_sleb(&m->in)));
		break;
	case DW_CFA_restore_extended:
		restore(m, column);
		break;
	case DW_CFA_undefined:
		set(m, column, (struct frame_rule){.kind = RULE_UNDEFINED});
		break;
	case DW_CFA_same_value:
		set(m, column, (struct frame_rule){.kind = RULE_SAME});
		break;
	case DW_CFA_register:
		set(m, column, register_rule(m, get_varint(&m->in), 0));
		break;
	case DW_CFA_expression:
		set(m, column, get_expression(m, RULE_EXPRESSION));
		break;
	case DW_CFA_val_expression:
		set(m, column, get_expression(m, RULE_EXPRESSION_VALUE));
		break;
	default: /* of unknown length */
		m->in.bad = true;
	}
}

static void execute_one(struct machine *m)
{
	uint8_t op = get_u8(&m->in), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance_location(m, low);
		return;
	case DW_CFA_offset:
		set(m, low, offset_rule(m, RULE_OFFSET, get_varint(&m->in)));
		return;
	case DW_CFA_restore:
		restore(m, low);
		return;
	}
	switch (op) {
	case DW_CFA_nop:
		return;
	case DW_CFA_advance_loc1:
		advance_location(m, get_u8(&m->in));
		return;
	case DW_CFA_advance_loc2:
		advance_location(m, get_u16(&m->in));
		return;
	case DW_CFA_advance_loc4:
		advance_location(m, get_u32(&m->in));
		return;
	case DW_CFA_remember_state:
		remember_state(m);
		return;
	case DW_CFA_restore_state:
		restore_state(m);
		return;
	case DW_CFA_GNU_args_size:
		get_varint(&m->in);
		return;
	case DW_CFA_AARCH64_negate_ra_state: /* the report takes the signature out of any return address */
		m->in.bad |= m->isa != &isa_arm64;
		return;
	default:
		if (!execute_cfa(m, op))
			execute_column(m, op);
	}
}

/* Executes @program as far as it is about @address. */
static bool execute(struct machine *m, struct cursor program, uint64_t start, uint64_t address)
{
	m->in = program;
	m->location = start;
	while (!m->in.bad && cursor_left(&m->in) && m->location <= address)
		execute_one(m);
	return !m->in.bad;
}

int frame_rules_at(const struct isa *isa, const struct fde_program *p, uint64_t start, uint64_t address,
                   struct frame_rules *rules)
{
	struct machine m;
	struct frame_rules common = {0};

	m.isa = isa;
	m.program = p;
	m.nremembered = 0;
	m.common = NULL;
	/* As a call leaves it, where nothing is said. */
	common.cfa = (struct frame_rule){.kind = RULE_REGISTER, .reg = isa->sp, .offset = isa_pushed(isa)};
	if (isa->link == ISA_NONE)
		common.column[isa->ip] = (struct frame_rule){.kind = RULE_OFFSET, .offset = -(int64_t)isa->word};
	*current(&m) = common;
	if (!execute(&m, p->common, start, address))
		return -EBADMSG;
	common = *current(&m);
	m.common = &common;
	if (!execute(&m, p->own, start, address))
		return -EBADMSG;
	*rules = *current(&m);
	return 0;
}
