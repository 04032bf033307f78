/* SPDX-License-Identifier: BSD-2-Clause */
/* copy.c - a chain from a copy of the stack: one CFI row after the other, from the registers up. */
#include "report/unwind/unwind.h"

#include <errno.h>

#define STACK_MAX 0x10000u /* bytes; kernels have stacks of 16 KiB, and of 32 for tests of their own */

struct walk {
	const struct isa *isa;
	struct cfi *cfi;
	const struct upf_record *sample;
	struct memory memory;
	struct registers regs;
	bool behind; /* the address follows a call */
};

/* Why a word at @address is not in the copy. */
static uint8_t missing(const struct walk *w, uint64_t address)
{
	if (address < w->memory.base + w->memory.n * 8 || address % w->memory.size != 0)
		return CHAIN_END_UNSURE; /* below the stack's top: no place for a frame */
	return w->sample->end == UPF_END_DEPTH ? CHAIN_END_COPY : w->sample->end;
}

static bool known(const struct walk *w, unsigned r)
{
	return w->regs.known >> r & 1;
}

/* A register of the caller. */
static void recover(const struct walk *w, const struct cfi_row *row, uint64_t cfa, unsigned r, struct registers *up)
{
	uint64_t offset = (uint64_t)(int64_t)row->reg[r].offset, value = 0;
	bool fine = false;

	switch (row->reg[r].where) {
	case CFI_SAME:
		value = w->regs.reg[r];
		fine = known(w, r);
		break;
	case CFI_SAVED:
		fine = memory_word(&w->memory, cfa + offset, &value);
		/* Below the stack pointer: it was popped, which tables do not tell, and is back in its register. */
		if (cfa + offset < w->regs.reg[w->isa->sp] && known(w, r)) {
			value = w->regs.reg[r];
			fine = true;
		}
		break;
	case CFI_SAVED_BY_FP:
		fine = known(w, w->isa->fp) && memory_word(&w->memory, w->regs.reg[w->isa->fp] + offset, &value);
		break;
	case CFI_VALUE:
		value = cfa + offset;
		fine = true;
		break;
	}
	up->reg[r] = value;
	up->known |= (uint32_t)fine << r;
}

/*
 * The stack pointer that the frame has put away is another stack's: an interrupt's code has switched to its own, and of
 * what was interrupted there is no copy. The pages of this one end where the copy does, or this is too far away.
 */
static bool leaves_stack(const struct walk *w, const struct cfi_row *row, uint64_t cfa)
{
	const uint64_t top = w->memory.base + w->memory.n * 8;

	if (!row->cfa_deref || row->cfa_base != w->isa->sp)
		return false;
	return cfa < w->memory.base || cfa >= top + STACK_MAX || (cfa > top && w->sample->end == UPF_END_UNMAPPED);
}

/* 0, with an instruction pointer of 0 if this is the outermost frame; or why there is no caller. */
static uint8_t apply_row(const struct walk *w, const struct cfi_row *row, struct registers *up)
{
	uint64_t cfa = w->regs.reg[row->cfa_base] + (uint64_t)(int64_t)row->cfa_offset, at;

	if (!known(w, row->cfa_base))
		return CHAIN_END_UNSURE;
	if (row->cfa_deref && !memory_word(&w->memory, cfa, &cfa))
		return missing(w, cfa);
	cfa += (uint64_t)(int64_t)row->cfa_after;
	if (leaves_stack(w, row, cfa)) {
		up->ip = 0;
		return 0;
	}
	at = cfa + (uint64_t)(int64_t)row->ra_offset;
	if (row->ra == CFI_RA_LINK && (w->behind || !known(w, w->isa->link)))
		return CHAIN_END_UNSURE;
	if (row->ra == CFI_RA_LINK)
		up->ip = w->regs.reg[w->isa->link];
	else if (!memory_word(&w->memory, at, &up->ip))
		return missing(w, at);
	up->ip = isa_code_address(w->isa, up->ip);
	for (unsigned r = 0; r < w->isa->regs; r++)
		recover(w, row, cfa, r, up);
	return up->known >> w->isa->sp & 1 ? 0 : CHAIN_END_UNSURE;
}

static uint8_t step_live(const struct walk *w, const struct cfi_known_row *k, struct registers *up)
{
	*up = w->regs;
	switch (tables_step(k->live, w->regs.ip - w->behind, up, &w->memory)) {
	case 0:
		return 0;
	case 1:
		up->ip = 0;
		return 0;
	case -EFAULT:
		return missing(w, w->memory.base + w->memory.n * 8);
	default:
		return CHAIN_END_DAMAGED;
	}
}

/*
 * Tables are known to be wrong in the middle of some epilogues: about the CFA (clang 14), or about the frame pointer of
 * an aligned frame (gcc 12); and after calls of functions that take their arguments off the stack. There the code is
 * right, if the return address it leads to follows a call.
 */
static void prefer_code(const struct walk *w, struct cfi_known_row *k, uint8_t *end, struct registers *up)
{
	struct cfi_known_row by_code;
	struct registers other = {0};

	if (!w->isa->tables_hold_at_calls && !cfi_is_doubtful(k, w->isa) && *end == 0 &&
	    cfi_called_from(w->cfi, up->ip, w->regs.ip))
		return;
	by_code = cfi_from_code(w->cfi, w->regs.ip, false);
	if (by_code.source != CFI_BY_CODE || by_code.row.kind != CFI_CALLER ||
	    apply_row(w, &by_code.row, &other) != 0 || !cfi_called_from(w->cfi, other.ip, w->regs.ip))
		return;
	*k = by_code;
	*up = other;
	*end = 0;
}

/*
 * The function has popped its return address. What a scheduler switches to when it begins a thread does: it takes its
 * arguments off the stack, above which there is nothing. By convention an outermost frame has a return address or a
 * frame pointer of 0 (System V ABI, 3.4.1). A function that has it in a register instead has neither.
 */
static uint8_t end_of_popped(const struct walk *w)
{
	uint64_t above;

	if (known(w, w->isa->fp) && w->regs.reg[w->isa->fp] == 0)
		return UPF_END_ROOT;
	return memory_word(&w->memory, w->regs.reg[w->isa->sp], &above) && above == 0 ? UPF_END_ROOT
	                                                                              : CHAIN_END_UNSURE;
}

/* One frame up. False: the chain ends here, *end says why. */
static bool go_up(struct walk *w, uint8_t *end)
{
	const struct cfi_known_row *found = cfi_find(w->cfi, w->regs.ip, w->behind);
	struct registers up = {0};
	struct cfi_known_row k;
	bool begins;

	*end = CHAIN_END_UNKNOWN;
	if (!found)
		return false;
	k = *found;
	if (k.source <= CFI_DAMAGED) {
		*end = k.source == CFI_DAMAGED ? CHAIN_END_DAMAGED
		       : w->sample->user       ? CHAIN_END_USER
		                               : CHAIN_END_UNKNOWN;
		return false;
	}
	*end = UPF_END_ROOT;
	if (k.row.kind == CFI_ROOT)
		return false;
	if (k.row.kind == CFI_POPPED) {
		*end = end_of_popped(w);
		return false;
	}
	*end = k.live ? step_live(w, &k, &up) : apply_row(w, &k.row, &up);
	if (!w->behind && k.source == CFI_BY_TABLE)
		prefer_code(w, &k, end, &up);
	if (*end != 0 || up.ip == 0) /* UPF_END_ROOT is 0 */
		return false;
	if (k.source == CFI_BY_CODE && !(k.row.interrupted ? cfi_code_at(w->cfi, up.ip, &begins) && begins
	                                                   : cfi_called_from(w->cfi, up.ip, w->regs.ip)))
		*end = CHAIN_END_UNSURE;
	/* Not all that a kernel does with its stack is in its ORC: filling the return stack buffer is not. */
	if (k.source == CFI_BY_ORC && !k.row.interrupted && !cfi_behind_code(w->cfi, up.ip))
		*end = CHAIN_END_UNSURE;
	if (*end != 0)
		return false;
	/* What was interrupted was a user's program: its stack is another one. */
	if (k.row.interrupted && w->regs.ip >= w->isa->kernel_from && up.ip < w->isa->kernel_from) {
		*end = UPF_END_ROOT;
		return false;
	}
	/* Every frame but a leaf's takes room, and an interrupt may have switched stacks. */
	if (up.reg[w->isa->sp] < w->regs.reg[w->isa->sp] + (k.row.ra != CFI_RA_LINK) && !k.row.interrupted) {
		*end = UPF_END_DESCENDING;
		return false;
	}
	w->behind = !k.row.interrupted;
	w->regs = up;
	return true;
}

void unwind_copy(struct cfi *cfi, const struct upf_record *s, uint64_t ip, struct chain *c)
{
	struct walk w = {.isa = cfi_isa(cfi),
	                 .cfi = cfi,
	                 .sample = s,
	                 .memory = {s->sp & ~(uint64_t)7, s->words, s->nwords, cfi_isa(cfi)->word}};

	for (unsigned r = 0; r < w.isa->regs && r < s->nregs; r++)
		w.regs.reg[r] = s->regs[r];
	w.regs.ip = ip;
	w.regs.known = (uint32_t)((UINT64_C(1) << s->nregs) - 1);
	c->n = 0;
	c->restored = c->uncertain = false;
	do {
		c->frame[c->n].address = w.regs.ip;
		c->frame[c->n++].flags = w.behind ? 0 : FRAME_EXACT;
		c->end = UPF_END_DEPTH;
	} while (c->n < UPF_DEPTH_MAX && go_up(&w, &c->end));
}

const char *chain_end_text(unsigned end)
{
	switch (end) {
	case CHAIN_END_COPY:
		return "the stack's copy ends";
	case CHAIN_END_UNKNOWN:
		return "no unwind table";
	case CHAIN_END_DAMAGED:
		return "damaged unwind table";
	case CHAIN_END_UNSURE:
		return "no sure caller";
	case CHAIN_END_USER:
		return "in a user program";
	default:
		return upf_end_text(end);
	}
}
