/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/isa/flow.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX (1 << 30) /* bytes: what lies farther from the CFA is in no frame, whatever the code says */

struct flow_reader {
	const struct isa *isa;
	csh handle;
	cs_insn *insn;
};

struct flow_reader *flow_open(const struct isa *isa)
{
	struct flow_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->isa = isa;
	if (cs_open((cs_arch)isa->decoder, (cs_mode)isa->mode, &r->handle) != CS_ERR_OK) {
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

/* An instruction that capstone does not know: the next one can be found all the same where its size is told. */
static bool take_unknown(struct flow_reader *r, const uint8_t *code, size_t left, uint64_t address)
{
	uint8_t size = r->isa->size ? r->isa->size(code, left) : 0;

	if (size == 0 || left < size)
		return false;
	r->insn->id = 0;
	r->insn->address = address;
	r->insn->size = size;
	memcpy(r->insn->bytes, code, size);
	return true;
}

static bool decode(struct flow_reader *r, const uint8_t *code, size_t left, uint64_t address,
                   struct frame_state *state)
{
	return r->isa->decode ? r->isa->decode(r->handle, code, left, address, state, r->insn)
	                      : cs_disasm_iter(r->handle, &code, &left, &address, r->insn);
}

bool flow_step(struct flow_reader *r, const struct isa *isa, const uint8_t *code, size_t left, uint64_t address,
               struct frame_state *state, struct instruction *out)
{
	*out = (struct instruction){0};
	if (isa != r->isa && cs_option(r->handle, CS_OPT_MODE, (size_t)isa->mode) != CS_ERR_OK)
		return false;
	r->isa = isa;
	if (!decode(r, code, left, address, state) && !take_unknown(r, code, left, address))
		return false;
	out->size = (uint8_t)r->insn->size;
	isa->find_flow(r->handle, r->insn, out);
	if (state)
		isa->apply(isa, r->handle, r->insn, state);
	return true;
}

/* --- states ------------------------------------------------------------------------------------------------------ */

struct frame_state flow_entry(const struct isa *isa)
{
	return (struct frame_state){.sp_known = true, .sp = isa_pushed(isa)};
}

static bool same_kept(const struct frame_state *a, const struct frame_state *b)
{
	for (int k = 0; k < ISA_KEPT; k++)
		if (a->kept[k].where != b->kept[k].where ||
		    (a->kept[k].where == CFI_SAVED &&
		     (a->kept[k].offset != b->kept[k].offset || a->kept[k].changed != b->kept[k].changed)))
			return false;
	return true;
}

bool flow_same(const struct frame_state *a, const struct frame_state *b)
{
	return a->sp_known == b->sp_known && a->fp_known == b->fp_known && a->cfa_known == b->cfa_known &&
	       a->copied == b->copied && a->it == b->it && (!a->sp_known || a->sp == b->sp) &&
	       (!a->fp_known || a->fp == b->fp) && same_kept(a, b);
}

bool flow_meet(struct frame_state *a, const struct frame_state *b)
{
	a->sp_known &= b->sp_known && a->sp == b->sp && a->copied == b->copied;
	a->fp_known &= b->fp_known && a->fp == b->fp;
	a->cfa_known &= b->cfa_known;
	for (int k = 0; k < ISA_KEPT; k++) {
		if (a->kept[k].where != b->kept[k].where || a->kept[k].offset != b->kept[k].offset)
			a->kept[k].where = CFI_LOST;
		a->kept[k].changed |= b->kept[k].changed;
	}
	return a->sp_known || a->fp_known || a->cfa_known;
}

static bool set_frame_base(const struct isa *isa, const struct frame_state *s, struct cfi_row *row)
{
	if (s->copied && s->cfa_known) {
		row->cfa_base = isa->cfa; /* the true one: about to leave an aligned frame */
	} else if (s->sp_known) {
		row->cfa_base = isa->sp;
		row->cfa_offset = s->sp;
		row->kind = s->sp < isa_pushed(isa) ? CFI_POPPED : CFI_CALLER;
	} else if (s->fp_known) {
		row->cfa_base = isa->fp;
		row->cfa_offset = s->fp;
	} else if (s->cfa_known) {
		row->cfa_base = isa->cfa;
	} else {
		return false;
	}
	return true;
}

/* Where calls put the return address into a register, that is preserved like others, or lost. */
static void set_return(const struct isa *isa, const struct frame_state *s, struct cfi_row *row)
{
	unsigned k = isa_kept(isa, isa->link);

	row->ra_offset = -isa->word;
	if (isa->link == ISA_NONE)
		return;
	row->ra_offset = s->kept[k].offset;
	if (s->kept[k].where == CFI_SAVED)
		row->ra = s->kept[k].changed ? CFI_RA_SAVED : CFI_RA_BOTH;
	else if (s->kept[k].where == CFI_LOST)
		row->kind = CFI_POPPED;
	else
		row->ra = CFI_RA_LINK;
}

bool flow_row(const struct isa *isa, const struct frame_state *s, struct cfi_row *row)
{
	*row = (struct cfi_row){.kind = CFI_CALLER};
	if (!set_frame_base(isa, s, row))
		return false;
	set_return(isa, s, row);
	for (unsigned r = 0; r < isa->regs; r++)
		row->reg[r].where = CFI_LOST;
	row->reg[isa->sp].where = s->copied && row->cfa_base != isa->cfa ? CFI_LOST : CFI_VALUE;
	for (int k = 0; k < isa->nkept; k++) {
		row->reg[isa->kept[k]].where =
			s->kept[k].where == CFI_SAVED && !s->kept[k].changed ? CFI_SAME : s->kept[k].where;
		row->reg[isa->kept[k]].offset = s->kept[k].offset;
	}
	return true;
}

/*
 * What an interrupt pushes, the lowest first: where it came, cs, the flags; in 64-bit mode also the stack pointer and
 * ss, whether the privilege has changed or not (Intel SDM vol. 3A, 6.14.2).
 */
bool flow_interrupt_row(const struct isa *isa, const struct frame_state *s, int32_t below, struct cfi_row *row)
{
	const int32_t size = (isa->word == 8 ? 5 : 3) * isa->word, up = size - below;

	/* It returns to what it has pushed itself. */
	if (below > isa_pushed(isa) || !flow_row(isa, s, row) || row->kind != CFI_CALLER || row->cfa_base == isa->cfa)
		return false;
	row->cfa_offset += up;
	row->ra = CFI_RA_SAVED;
	row->ra_offset = -size;
	row->interrupted = true;
	for (unsigned r = 0; r < isa->regs; r++)
		if (row->reg[r].where == CFI_SAVED)
			row->reg[r].offset -= up;
	row->reg[isa->sp].where = isa->word == 8 ? CFI_SAVED : CFI_VALUE;
	row->reg[isa->sp].offset = isa->word == 8 ? -2 * isa->word : 0;
	return true;
}

/* --- what instructions do ---------------------------------------------------------------------------------------- */

/* Is CFA - @below near enough, so that @below, -@below and their sums fit? */
static bool in_frame(int64_t below)
{
	return below >= -FRAME_MAX && below <= FRAME_MAX;
}

uint8_t flow_written(size_t decoder, const cs_insn *insn, uint16_t written[FLOW_WRITTEN_MAX])
{
	_Static_assert(FLOW_WRITTEN_MAX == sizeof(cs_regs) / sizeof(uint16_t), "the array is capstone's");
	cs_regs read;
	uint8_t nread, n;

	return cs_regs_access(decoder, insn, read, &nread, written, &n) == CS_ERR_OK ? n : 0;
}

void frame_lose(const struct isa *isa, struct frame_state *s, unsigned reg)
{
	unsigned k = isa_kept(isa, reg);

	if (reg == isa->fp)
		s->fp_known = false;
	if (k < isa->nkept && s->kept[k].where == CFI_SAME)
		s->kept[k].where = CFI_LOST;
	if (k < isa->nkept)
		s->kept[k].changed = true;
	if (reg == isa->cfa)
		s->cfa_known = false;
	if (reg == isa->sp)
		s->sp_known = false;
}

void frame_save(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below)
{
	unsigned k = isa_kept(isa, reg);

	if (k < isa->nkept && s->kept[k].where == CFI_SAME) {
		s->kept[k].where = CFI_SAVED;
		s->kept[k].changed = false;
		s->kept[k].offset = -below;
	}
}

void frame_restore(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below)
{
	unsigned k = isa_kept(isa, reg);
	bool is_back = k < isa->nkept && s->kept[k].where == CFI_SAVED && s->kept[k].offset == -below;

	frame_lose(isa, s, reg);
	if (is_back)
		s->kept[k].where = CFI_SAME;
}

void frame_set(const struct isa *isa, struct frame_state *s, unsigned reg, int32_t below)
{
	frame_lose(isa, s, reg);
	if (reg == isa->sp) {
		s->sp_known = true;
		s->sp = below;
	} else if (reg == isa->fp) {
		s->fp_known = true;
		s->fp = below;
	} else if (reg == isa->cfa && reg != ISA_NONE) {
		s->cfa_known = below == 0;
	}
}

void frame_move_sp(struct frame_state *s, int64_t up)
{
	int64_t sp = s->sp - up;

	if (in_frame(sp))
		s->sp = (int32_t)sp;
	else
		s->sp_known = false;
}

bool frame_place(const struct isa *isa, const struct frame_state *s, unsigned reg, int64_t displacement,
                 int32_t *below)
{
	int64_t at;

	if (reg == isa->sp && s->sp_known)
		at = s->sp - displacement;
	else if (reg == isa->fp && s->fp_known)
		at = s->fp - displacement;
	else if (reg == isa->cfa && s->cfa_known)
		at = -displacement;
	else
		return false;
	*below = (int32_t)at;
	return in_frame(at);
}
