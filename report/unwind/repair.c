/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repair.c - the one caller that a walk by frame pointers loses: that of a function which has not made its frame yet, has
 * undone it already, or never makes one.
 *
 * In such a function the frame pointer is still the caller's, so that the walk goes from the leaf straight to the caller's
 * caller. The return address between them lies on the stack above what the function has pushed, which its row tells.
 */
#include "report/unwind/unwind.h"

#define PROLOGUE 5 /* bytes of endbr64 and push %rbp */

static void add(struct chain *c, uint64_t address, uint8_t flags)
{
	c->frame[c->n].address = address;
	c->frame[c->n++].flags = flags;
}

/* Is the register's value still the caller's frame pointer, so that the rest of the walk is right? */
static bool fp_is_callers(const struct row *row, const struct upf_record *s, const struct memory *m)
{
	uint64_t saved;

	if (row->reg[X86_FP].where == ROW_SAME)
		return true;
	if (row->reg[X86_FP].where != ROW_SAVED)
		return false;
	/* Popped again, which tables do not tell. */
	if (row->cfa_offset + row->reg[X86_FP].offset < 0)
		return true;
	/* Pushed, and not changed since. */
	return memory_word(m, s->sp + (uint64_t)(int64_t)(row->cfa_offset + row->reg[X86_FP].offset), &saved) && saved == s->fp;
}

/* Puts @caller between the leaf and the frames that were walked, if those can be believed. */
static void put_back(struct chain *c, const struct upf_record *s, const uint64_t *frames, uint32_t depth, uint64_t caller,
                     bool rest_is_right)
{
	add(c, frames[0], 0);
	add(c, caller, FRAME_RESTORED);
	c->restored = true;
	c->end = rest_is_right ? s->end : CHAIN_END_UNSURE;
	for (uint32_t i = 1; rest_is_right && i < depth && c->n <= UPF_DEPTH_MAX; i++)
		add(c, frames[i], 0);
}

/* Nothing but names is known: the frame pointer just pushed by the function's first instruction is told by its value. */
static bool just_pushed(const struct rows *rows, const struct upf_record *s, const struct memory *m, uint64_t ip, struct row *row)
{
	uint64_t offset, top;

	if (!rows_named(rows, ip, &offset) || offset == 0 || offset > PROLOGUE || !memory_word(m, s->sp, &top) || top != s->fp)
		return false;
	*row = (struct row){.cfa_base = X86_SP, .cfa_offset = 16, .ra_offset = -8};
	row->reg[X86_FP].where = ROW_SAVED;
	row->reg[X86_FP].offset = -16;
	return true;
}

/* What a row makes of the stack: where the return address lies, and what is there. */
enum candidate {
	CANDIDATE_NONE,   /* the row does not tell, or the walk has it already */
	CANDIDATE_UNSURE, /* what is there can be no return address, or is not in the window */
	CANDIDATE_LIKELY, /* the row is certain, but no call is seen before that address */
	CANDIDATE_SURE,
};

/*
 * A frame about to be aligned, of which only r10 tells the place: the one word in the window that a call of this function
 * has left.
 */
static enum candidate find_only(struct rows *rows, const struct memory *m, uint64_t callee, uint64_t *caller)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		if (m->words[i] == 0 || (found && m->words[i] == *caller) || !rows_called_from(rows, m->words[i], callee))
			continue;
		*caller = m->words[i];
		found++;
	}
	return found == 1 ? CANDIDATE_SURE : CANDIDATE_UNSURE;
}

static enum candidate judge(struct rows *rows, const struct upf_record *s, const struct memory *m, const struct known_row *k,
                            uint64_t callee, uint64_t *caller)
{
	uint64_t at = s->sp + (uint64_t)(int64_t)(k->row.cfa_offset + k->row.ra_offset), offset;

	if (k->source > ROW_DAMAGED && !k->live && k->row.cfa_base == X86_R10)
		return find_only(rows, m, callee, caller);
	if (k->source <= ROW_DAMAGED || k->live || k->row.kind == ROW_ROOT || k->row.cfa_base != X86_SP || k->row.cfa_deref)
		return CANDIDATE_NONE;
	if (at == s->fp + 8)
		return CANDIDATE_NONE; /* the frame is made, and the walk has found it */
	if (!memory_word(m, at, caller) || *caller == 0)
		return CANDIDATE_UNSURE;
	if (rows_called_from(rows, *caller, callee) || (!rows_any(rows) && rows_named(rows, *caller, &offset)))
		return CANDIDATE_SURE;
	return k->source == ROW_BY_CODE ? CANDIDATE_UNSURE : CANDIDATE_LIKELY;
}

/*
 * The row to go by. Tables are known to be wrong in the middle of some epilogues (clang 14): if no call stands before what
 * they point at, the code is asked, and believed if a call stands before what it points at.
 */
static enum candidate choose(struct rows *rows, const struct upf_record *s, const struct memory *m, uint64_t ip,
                             struct known_row *k, uint64_t *caller)
{
	enum candidate found = judge(rows, s, m, k, ip, caller), other;
	struct known_row by_code;
	uint64_t another;

	if (found == CANDIDATE_SURE || (k->source != ROW_BY_TABLE && k->source != ROW_BY_ORC))
		return found;
	by_code = rows_from_code(rows, ip, false);
	other = judge(rows, s, m, &by_code, ip, &another);
	if (other != CANDIDATE_SURE)
		return found;
	*k = by_code;
	*caller = another;
	return other;
}

void repair_chain(struct rows *rows, const struct upf_record *s, const uint64_t *frames, uint32_t depth, bool pv,
                  struct chain *c)
{
	const struct memory m = {s->sp & ~(uint64_t)7, s->words, s->nwords};
	const struct known_row *found = depth ? rows_find(rows, frames[0], false, pv) : NULL;
	struct known_row k;
	uint64_t caller;

	c->n = 0;
	c->restored = c->doubtful = false;
	if (!found)
		return;
	k = *found;
	if (k.source == ROW_UNKNOWN && just_pushed(rows, s, &m, frames[0], &k.row))
		k.source = ROW_BY_CODE;
	switch (choose(rows, s, &m, frames[0], &k, &caller)) {
	case CANDIDATE_NONE:
		break;
	case CANDIDATE_UNSURE:
		c->doubtful = true;
		break;
	case CANDIDATE_LIKELY:
	case CANDIDATE_SURE:
		put_back(c, s, frames, depth, caller, fp_is_callers(&k.row, s, &m));
		break;
	}
}
