/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repair.c - restores the callers that a walk by frame pointers misses: those of functions that have not built their
 * frame yet, have removed it already, or never build one.
 *
 * In such a function the frame pointer is still the caller's, so that the walk goes from the leaf straight to the
 * caller's caller. The return address between them is on the stack above what the function has pushed, which its CFI
 * row tells. There may be several such functions, one above the other: a hypercall's stub, called by a function that
 * the compiler took for a leaf.
 */
#include "report/unwind/unwind.h"

#define PROLOGUE 5 /* bytes of endbr64 or endbr32 and push %rbp */

#define RESTORED_MAX 8 /* frames without a frame pointer, one above the other */

/* Where we are on the way up: below the first frame that the frame pointer knows of. */
struct climb {
	const struct isa *isa;
	struct cfi *cfi;
	const struct upf_record *sample;
	struct memory memory;
	uint64_t ip, sp;
	bool behind;        /* the address follows a call */
	bool top;           /* the last frame that can be restored */
	bool rest_is_right; /* the frame pointer is still what the walk began with */
};

static void add_chain_frame(struct chain *c, uint64_t address, uint8_t flags)
{
	c->frame[c->n].address = address;
	c->frame[c->n++].flags = flags;
}

static uint64_t cfa_of(const struct climb *w, const struct cfi_row *row)
{
	return (row->cfa_base == w->isa->fp ? w->sample->fp : w->sp) + (uint64_t)(int64_t)row->cfa_offset;
}

/*
 * gcc's leaf functions of ARM save the frame pointer alone, and set it. The recorder's walk passes over such a frame,
 * as the return address is in the link register only.
 */
static bool is_passed_over(const struct climb *w, const struct cfi_row *row)
{
	return row->ra == CFI_RA_LINK && row->reg[w->isa->fp].where == CFI_SAVED &&
	       w->sample->fp == cfa_of(w, row) + (uint64_t)(int64_t)row->reg[w->isa->fp].offset;
}

/* Is the frame pointer still the caller's, too, so that the rest of the walk is right? */
static bool fp_is_callers(const struct climb *w, const struct cfi_row *row)
{
	uint64_t saved;

	if (row->reg[w->isa->fp].where == CFI_SAME)
		return true;
	if (row->reg[w->isa->fp].where != CFI_SAVED)
		return false;
	/* Popped again, which tables do not tell. */
	if ((int64_t)row->cfa_offset + row->reg[w->isa->fp].offset < 0)
		return true;
	/* Pushed, and not changed since. */
	return memory_word(&w->memory, cfa_of(w, row) + (uint64_t)(int64_t)row->reg[w->isa->fp].offset, &saved) &&
	       saved == w->sample->fp;
}

/*
 * Nothing but names is known: the frame pointer just pushed by the function's first instruction is told by its value.
 */
static bool just_pushed(const struct climb *w, struct cfi_row *row)
{
	uint64_t offset, top;

	if (w->behind || !cfi_named(w->cfi, w->ip, &offset) || offset == 0 || offset > PROLOGUE ||
	    !memory_word(&w->memory, w->sp, &top) || top != w->sample->fp)
		return false;
	*row = (struct cfi_row){.cfa_base = w->isa->sp, .cfa_offset = 2 * w->isa->word, .ra_offset = -w->isa->word};
	row->reg[w->isa->sp].where = CFI_VALUE;
	row->reg[w->isa->fp].where = CFI_SAVED;
	row->reg[w->isa->fp].offset = -2 * w->isa->word;
	return true;
}

/* What the word is that a row takes for the return address. */
enum candidate {
	CANDIDATE_NONE,   /* the row does not tell where it is, or the walk found it */
	CANDIDATE_UNSURE, /* the word cannot be a return address, or is not in the window */
	CANDIDATE_LIKELY, /* the row is certain, but no call is seen before that address */
	CANDIDATE_SURE,
};

/*
 * A frame about to be aligned, of which only r10 tells the place: the one word in the window that a call of this
 * function has left.
 */
static enum candidate find_only(const struct climb *w, uint64_t *caller)
{
	unsigned found = 0;
	uint64_t word;

	for (uint64_t at = w->memory.base; memory_word(&w->memory, at, &word); at += w->memory.size) {
		if (word == 0 || (found && word == *caller) || !cfi_called_from(w->cfi, word, w->ip))
			continue;
		*caller = word;
		found++;
	}
	return found == 1 ? CANDIDATE_SURE : CANDIDATE_UNSURE;
}

/* The return address, from memory at @at or the link register. */
static bool read_return(const struct climb *w, const struct cfi_row *row, uint64_t at, uint64_t *caller)
{
	*caller = 0;
	if (row->ra != CFI_RA_SAVED && !w->behind)
		*caller = w->sample->link;
	else if (row->kind == CFI_POPPED || !memory_word(&w->memory, at, caller))
		return false;
	*caller = isa_code_address(w->isa, *caller);
	return *caller != 0;
}

/* Is the return address at @at that of the frame that the frame pointer points to? */
static bool is_made(const struct climb *w, uint64_t at)
{
	const int8_t *offsets = w->isa->return_offsets;

	return at == w->sample->fp + (uint64_t)offsets[0] || at == w->sample->fp + (uint64_t)offsets[1];
}

static enum candidate judge_row(const struct climb *w, const struct cfi_known_row *k, uint64_t *caller)
{
	const struct cfi_row *row = &k->row;
	uint64_t at = cfa_of(w, row) + (uint64_t)(int64_t)row->ra_offset, offset;

	if (k->source <= CFI_DAMAGED || cfi_is_doubtful(k, w->isa) || row->kind == CFI_ROOT || row->interrupted)
		return CANDIDATE_NONE;
	if (row->cfa_base == w->isa->cfa && !w->behind)
		return find_only(w, caller);
	if ((row->cfa_base != w->isa->sp && !(row->cfa_base == w->isa->fp && is_passed_over(w, row))) ||
	    row->cfa_deref)
		return CANDIDATE_NONE;
	if (row->ra != CFI_RA_LINK && is_made(w, at))
		return CANDIDATE_NONE; /* the frame is made, and the walk has found it */
	if (row->ra == CFI_RA_LINK && w->behind)
		return CANDIDATE_NONE;
	if (!read_return(w, row, at, caller))
		return CANDIDATE_UNSURE;
	if (cfi_called_from(w->cfi, *caller, w->ip - w->behind) ||
	    (!cfi_any(w->cfi) && cfi_named(w->cfi, *caller, &offset)))
		return CANDIDATE_SURE;
	return k->source == CFI_BY_CODE ? CANDIDATE_UNSURE : CANDIDATE_LIKELY;
}

/*
 * Chooses the row. Tables are known to be wrong in the middle of some epilogues (clang 14): if the return address
 * they lead to does not follow a call, and that of the code does, the code is right. Where they hold at calls only,
 * the code is right about the leaf whenever it tells.
 */
static enum candidate choose_row(const struct climb *w, struct cfi_known_row *k, uint64_t *caller)
{
	enum candidate found = judge_row(w, k, caller), other;
	struct cfi_known_row by_code;
	uint64_t another;

	if (w->behind || (k->source != CFI_BY_TABLE && k->source != CFI_BY_ORC) ||
	    (found == CANDIDATE_SURE && !w->isa->tables_hold_at_calls))
		return found;
	by_code = cfi_from_code(w->cfi, w->ip, false);
	other = judge_row(w, &by_code, &another);
	if (other != CANDIDATE_SURE &&
	    (other != CANDIDATE_NONE || !w->isa->tables_hold_at_calls || by_code.source != CFI_BY_CODE))
		return found;
	*k = by_code;
	*caller = another;
	return other;
}

/* Is this return address in the function where all begins? */
static bool is_root_call(const struct climb *w, uint64_t caller)
{
	const struct cfi_known_row *k = cfi_find(w->cfi, caller, true);

	return k && k->source > CFI_DAMAGED && k->row.kind == CFI_ROOT;
}

/* One caller up, if there is one below the frame that the frame pointer tells of. */
static enum candidate climb(struct climb *w)
{
	const struct cfi_known_row *found = cfi_find(w->cfi, w->ip, w->behind);
	struct cfi_known_row k;
	enum candidate c;
	uint64_t caller;
	bool passed_over;

	if (!found)
		return CANDIDATE_NONE;
	k = *found;
	if (k.source == CFI_UNKNOWN && just_pushed(w, &k.row))
		k.source = CFI_BY_CODE;
	c = choose_row(w, &k, &caller);
	if (c < CANDIDATE_LIKELY)
		return c;
	w->ip = caller;
	w->behind = true;
	passed_over = is_passed_over(w, &k.row);
	/* Where an aligned frame's caller begins is not known. The walk has found what is above one passed over. */
	w->top = k.row.cfa_base != w->isa->sp || k.row.reg[w->isa->sp].where != CFI_VALUE || passed_over;
	w->rest_is_right = k.row.cfa_base != w->isa->sp || passed_over || fp_is_callers(w, &k.row);
	/*
	 * The walk began with the frame pointer of the leaf's code, A32 or T32. If the caller that it did not find is
	 * of the other one, it has passed over more, unless that is where all begins.
	 */
	w->rest_is_right &= cfi_isa_at(w->cfi, caller - 1) == w->isa || is_root_call(w, caller);
	w->sp = cfa_of(w, &k.row);
	return c;
}

/* Is the frame pointer the function's own? A row from code calls it the same as long as it is the caller's. */
static bool is_fp_set(const struct isa *isa, const struct cfi_known_row *k)
{
	return k->row.cfa_base == isa->fp || (k->source == CFI_BY_CODE && k->row.reg[isa->fp].where != CFI_SAME);
}

/*
 * Without a stack pointer: does the function at @ip, which has no frame now, lack its caller? That is the function that
 * the next frame is of, and so the one that the call before @above, in the frame after that, has led to.
 */
static enum candidate find_without_sp(struct cfi *cfi, uint64_t ip, uint64_t above, struct code_caller *caller)
{
	const struct isa *isa = cfi_isa(cfi);
	const struct cfi_known_row *found = cfi_find(cfi, ip, false);
	struct cfi_known_row k = found ? *found : (struct cfi_known_row){.source = CFI_UNKNOWN};
	uint64_t target;

	/* As in choose_row(): tables may be wrong in an epilogue, the code is not. */
	if (k.source == CFI_BY_TABLE || k.source == CFI_BY_ORC) {
		const struct cfi_known_row by_code = cfi_from_code(cfi, ip, false);

		k = by_code.source == CFI_BY_CODE ? by_code : k;
	}
	if (k.source <= CFI_DAMAGED || k.row.kind == CFI_ROOT || k.row.interrupted || is_fp_set(isa, &k))
		return CANDIDATE_NONE;
	return above && cfi_call_before(cfi, above, &target) && cfi_only_call(cfi, target, ip, caller)
	               ? CANDIDATE_SURE
	               : CANDIDATE_UNSURE;
}

static void repair_without_sp(struct cfi *cfi, const struct upf_record *s, const uint64_t *frames, uint32_t depth,
                              struct chain *c)
{
	struct code_caller caller;
	enum candidate found = find_without_sp(cfi, frames[0], depth > 1 ? frames[1] : 0, &caller);

	add_chain_frame(c, frames[0], 0);
	if (found == CANDIDATE_SURE)
		add_chain_frame(c, caller.address, FRAME_RESTORED | (caller.is_return ? 0 : FRAME_EXACT));
	c->uncertain = found == CANDIDATE_UNSURE;
	c->restored = c->n > 1;
	c->end = s->end;
	for (uint32_t i = 1; i < depth && c->n <= UPF_DEPTH_MAX; i++)
		add_chain_frame(c, frames[i], 0);
}

void repair_chain(struct cfi *cfi, const struct upf_record *s, const uint64_t *frames, uint32_t depth, struct chain *c)
{
	struct climb w = {.isa = cfi_isa_at(cfi, depth ? frames[0] : 0), /* whose frame pointer the sample has */
	                  .cfi = cfi,
	                  .sample = s,
	                  .memory = {s->sp & ~(uint64_t)7, s->words, s->nwords, cfi_isa(cfi)->word},
	                  .sp = s->sp,
	                  .rest_is_right = true};
	enum candidate found;

	c->n = 0;
	c->restored = c->uncertain = false;
	if (depth == 0)
		return;
	if (s->sp == 0) {
		repair_without_sp(cfi, s, frames, depth, c);
		return;
	}
	w.ip = frames[0];
	add_chain_frame(c, w.ip, 0);
	do {
		found = climb(&w);
		if (found >= CANDIDATE_LIKELY)
			add_chain_frame(c, w.ip, FRAME_RESTORED);
	} while (found >= CANDIDATE_LIKELY && !w.top && w.rest_is_right && c->n <= RESTORED_MAX);
	c->uncertain = found == CANDIDATE_UNSURE;
	c->restored = c->n > 1;
	c->end = w.rest_is_right ? s->end : CHAIN_END_UNSURE;
	for (uint32_t i = 1; w.rest_is_right && i < depth && c->n <= UPF_DEPTH_MAX; i++)
		add_chain_frame(c, frames[i], 0);
}
