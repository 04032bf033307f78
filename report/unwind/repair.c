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

static bool is_sure(struct rows *rows, const struct known_row *k, uint64_t caller, uint64_t callee)
{
	uint64_t offset;

	if (caller == 0)
		return false;
	if (k->source == ROW_BY_TABLE || k->source == ROW_BY_ORC)
		return true;
	return rows_any(rows) ? rows_called_from(rows, caller, callee) || k->source == ROW_BY_STUB : rows_named(rows, caller, &offset);
}

void repair_chain(struct rows *rows, const struct upf_record *s, const uint64_t *frames, uint32_t depth, bool pv,
                  struct chain *c)
{
	const struct memory m = {s->sp & ~(uint64_t)7, s->words, s->nwords};
	struct known_row k;
	const struct known_row *found;
	uint64_t at, caller;

	c->n = 0;
	c->restored = c->doubtful = false;
	found = depth ? rows_find(rows, frames[0], false, pv) : NULL;
	if (!found)
		return;
	k = *found;
	if (k.source == ROW_UNKNOWN && just_pushed(rows, s, &m, frames[0], &k.row))
		k.source = ROW_BY_CODE;
	if (k.source <= ROW_DAMAGED || k.live || k.row.kind == ROW_ROOT || k.row.cfa_base != X86_SP || k.row.cfa_deref)
		return;
	at = s->sp + (uint64_t)(int64_t)(k.row.cfa_offset + k.row.ra_offset);
	if (at == s->fp + 8)
		return; /* the frame is made, and the walk has found it */
	if (memory_word(&m, at, &caller) && is_sure(rows, &k, caller, frames[0]))
		put_back(c, s, frames, depth, caller, fp_is_callers(&k.row, s, &m));
	else
		c->doubtful = true;
}
