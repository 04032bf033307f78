/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repair.c - restores the callers that a walk by frame pointers misses: those of functions that have not built their
 * frame yet, have removed it already, or never build one.
 *
 * In such a function the frame pointer is still the caller's, so that the walk goes from the leaf straight to the
 * caller's caller. The return address between them is on the stack above what the function has pushed, which its CFI
 * row tells. There may be several such functions, one above the other: a hypercall's stub, called by a function that
 * the compiler took for a leaf.
 *
 * The code that an interrupt begins keeps the frame pointer, too, so that the walk goes from a handler straight to the
 * caller of what was interrupted. Where that is lies on the stack above what this code has pushed.
 */
#include "report/unwind/unwind.h"

#define PROLOGUE 5 /* bytes of endbr64 or endbr32 and push %rbp */

#define FP_UNKNOWN UINT64_MAX
#define RESTORED_MAX 8 /* frames without a frame pointer, one above the other */

/* Where we are on the way up: below the first frame that the frame pointer knows of. */
struct climb {
	const struct isa *isa;
	struct cfi *cfi;
	const struct upf_record *sample;
	struct memory memory;
	uint64_t ip, sp, fp;
	bool behind;        /* the address follows a call */
	bool sp_unsure;     /* or it is a word more: an interrupt has aligned the stack */
	bool fp_unsaved;    /* where it was pushed is a 0: windows have no other frame pointer than the leaf's */
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
	return (row->cfa_base == w->isa->fp ? w->fp : w->sp) + (uint64_t)(int64_t)row->cfa_offset;
}

/*
 * gcc's leaf functions of ARM save the frame pointer alone, and set it. The recorder's walk passes over such a frame,
 * as the return address is in the link register only.
 */
static bool is_passed_over(const struct climb *w, const struct cfi_row *row)
{
	return row->ra == CFI_RA_LINK && row->reg[w->isa->fp].where == CFI_SAVED &&
	       w->fp == cfa_of(w, row) + (uint64_t)(int64_t)row->reg[w->isa->fp].offset;
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
	       (saved == w->fp || (w->fp_unsaved && saved == 0));
}

/*
 * Nothing but names is known: the frame pointer just pushed by the function's first instruction is told by its value.
 */
static bool just_pushed(const struct climb *w, struct cfi_row *row)
{
	uint64_t offset, top;

	if (w->behind || !cfi_named(w->cfi, w->ip, &offset) || offset == 0 || offset > PROLOGUE ||
	    !memory_word(&w->memory, w->sp, &top) || top != w->fp)
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

	return at == w->fp + (uint64_t)offsets[0] || at == w->fp + (uint64_t)offsets[1];
}

/* Is the frame pointer the function's own? A row from code calls it the same as long as it is the caller's. */
static bool is_fp_set(const struct isa *isa, const struct cfi_known_row *k)
{
	return k->row.cfa_base == isa->fp || (k->source == CFI_BY_CODE && k->row.reg[isa->fp].where != CFI_SAME);
}

static enum candidate judge_row(const struct climb *w, const struct cfi_known_row *k, uint64_t *caller)
{
	const struct cfi_row *row = &k->row;
	uint64_t at = cfa_of(w, row) + (uint64_t)(int64_t)row->ra_offset, offset;

	if (k->source <= CFI_DAMAGED || cfi_is_doubtful(k, w->isa) || row->kind == CFI_ROOT || row->interrupted)
		return CANDIDATE_NONE;
	if (w->fp == FP_UNKNOWN && is_fp_set(w->isa, k))
		return CANDIDATE_NONE; /* the frame is far above the window, and made, or nearly */
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

/* --- with interrupts --------------------------------------------------------------------------------------------- */

/* By the one stack pointer of two that leads to a caller for sure, or to a frame that is made, if either is unsure. */
static enum candidate climb_surely(struct climb *w)
{
	const struct climb before = *w;
	enum candidate found = climb(w);

	if (before.sp_unsure && (found == CANDIDATE_UNSURE || found == CANDIDATE_LIKELY)) {
		*w = before;
		w->sp += w->isa->word;
		found = climb(w);
		if (found == CANDIDATE_UNSURE || found == CANDIDATE_LIKELY) {
			*w = before;
			found = CANDIDATE_UNSURE;
		}
	}
	w->sp_unsure = false;
	return found;
}

static void climb_on(struct climb *w, struct chain *c)
{
	const uint32_t most = c->n + RESTORED_MAX;

	while (!w->top && w->rest_is_right && c->n < most && c->n <= UPF_DEPTH_MAX) {
		const enum candidate found = climb_surely(w);

		c->uncertain |= found == CANDIDATE_UNSURE;
		if (found < CANDIDATE_LIKELY)
			return;
		c->restored = true;
		add_chain_frame(c, w->ip, FRAME_RESTORED);
	}
}

/* Is the code at w->ip what an interrupt begins? Then *k tells what it has on the stack. */
static bool is_of_interrupt(const struct climb *w, struct cfi_known_row *k)
{
	const struct cfi_known_row *found = w->isa->link == ISA_NONE ? cfi_find(w->cfi, w->ip, w->behind) : NULL;

	if (!found || found->source <= CFI_DAMAGED || found->live || !found->row.interrupted ||
	    found->row.kind != CFI_CALLER)
		return false;
	*k = *found;
	return true;
}

/* Where the interrupt came; 0: it is not in the window, or is no code. */
static uint64_t read_interrupted(const struct climb *w, const struct cfi_row *row)
{
	uint64_t ip = 0;
	bool begins;

	if (row->cfa_base == w->isa->sp && !row->cfa_deref)
		memory_word(&w->memory, cfa_of(w, row) + (uint64_t)(int64_t)row->ra_offset, &ip);
	return ip && cfi_code_at(w->cfi, ip, &begins) && begins ? ip : 0;
}

/* From code that an interrupt has begun, whose w->sp is known (0: is not), to what it has interrupted, and on. */
static void cross(struct climb *w, const struct cfi_known_row *k, struct chain *c)
{
	const struct cfi_row *row = &k->row;
	const uint64_t ip = w->sp ? read_interrupted(w, row) : 0, cfa = cfa_of(w, row);
	const bool is_saved = row->reg[w->isa->sp].where == CFI_SAVED;
	uint64_t sp = 0;

	/* ORC tells the same of system calls, and nothing about which it is. */
	if (!ip || c->n > UPF_DEPTH_MAX) {
		c->uncertain |= k->source != CFI_BY_ORC;
		return;
	}
	if (is_saved)
		memory_word(&w->memory, cfa + (uint64_t)(int64_t)row->reg[w->isa->sp].offset, &sp);
	w->sp_unsure = is_saved && !sp;
	w->sp = sp ? sp : cfa;
	w->ip = ip;
	w->behind = w->top = false;
	c->restored = true;
	add_chain_frame(c, ip, FRAME_RESTORED | FRAME_EXACT);
	climb_on(w, c);
}

/* Where the window has @address, above *at; false: nowhere, or more than once. */
static bool find_return(const struct climb *w, uint64_t address, uint64_t *at)
{
	unsigned found = 0;
	uint64_t word;

	for (uint64_t i = *at + w->isa->word; memory_word(&w->memory, i, &word); i += w->isa->word) {
		if (isa_code_address(w->isa, word) != address)
			continue;
		*at = found ? *at : i;
		found++;
	}
	return found == 1;
}

/* The rest of the walk, with what interrupts have interrupted. */
static void add_rest(struct climb *w, const uint64_t *frames, uint32_t depth, struct chain *c)
{
	const uint64_t made = (uint64_t)w->isa->return_offsets[0];
	/* Where the return address is in the window; 0: that is not known, or not wanted. */
	uint64_t at = w->isa->link == ISA_NONE ? w->fp + made : 0, next;
	struct cfi_known_row k;

	w->fp_unsaved = true;
	for (uint32_t i = 1; w->rest_is_right && i < depth && c->n <= UPF_DEPTH_MAX; i++, at = next) {
		add_chain_frame(c, frames[i], 0);
		next = at;
		if (at && (i + 1 == depth || !find_return(w, frames[i + 1], &next)))
			next = 0;
		w->ip = frames[i];
		w->behind = true;
		w->sp = at ? at + w->isa->word : 0;
		w->fp = next ? next - made : FP_UNKNOWN;
		if (is_of_interrupt(w, &k))
			cross(w, &k, c);
	}
}

void repair_chain(struct cfi *cfi, const struct upf_record *s, const uint64_t *frames, uint32_t depth, struct chain *c)
{
	struct climb w = {.isa = cfi_isa_at(cfi, depth ? frames[0] : 0), /* whose frame pointer the sample has */
	                  .cfi = cfi,
	                  .sample = s,
	                  .memory = {s->sp & ~(uint64_t)7, s->words, s->nwords, cfi_isa(cfi)->word},
	                  .sp = s->sp,
	                  .fp = s->fp,
	                  .rest_is_right = true};
	struct cfi_known_row k;

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
	climb_on(&w, c);
	if (!w.top && w.rest_is_right && is_of_interrupt(&w, &k))
		cross(&w, &k, c);
	add_rest(&w, frames, depth, c);
	c->end = w.rest_is_right ? s->end : CHAIN_END_UNSURE;
}
