/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/stack.h"

#include "record/stack/top.h"
#include "record/stack/walk.h"

#define UNFOUNDED_MIN 20u     /* stacks whose frames lead nowhere, and there is no stack pointer, */
#define UNFOUNDED_SHARE 10u   /* and one of so many does: these are too many */
#define STACK_SIZE (8u << 20) /* bytes above the stack pointer in which a frame pointer is looked for */

enum upf_tops stack_tops(const struct stack_choice *c)
{
	if (stack_is_auto(c))
		return UPF_TOPS_MIXED;
	if (c->copy_words)
		return UPF_TOPS_COPY;
	return c->window_words ? UPF_TOPS_WINDOW : UPF_TOPS_NONE;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static bool is_copied(const struct stack_choice *c, const struct footing *f)
{
	return c->copy_words && (!c->window_words || c->registers || f->copies);
}

/* Can the frame pointer point into the stack, of which @size bytes count? */
static bool is_in_stack(const struct vcpu_regs *regs, uint64_t size)
{
	return regs->fp >= regs->sp && regs->fp - regs->sp < size;
}

/*
 * By frame pointers. With auto, only if the first one can point into the stack: elsewhere, memory would be captured
 * that is no stack.
 */
static void walk_by_frames(const struct stack_choice *c, struct footing *f, struct space *space,
                           const struct vcpu_regs *regs, uint64_t *frames, struct upf_sample *s)
{
	uint64_t size = is_copied(c, f) ? (uint64_t)c->copy_words * UPF_WORD : STACK_SIZE;

	if (c->copy_words && (!c->window_words || !is_in_stack(regs, size))) {
		frames[0] = regs->ip;
		s->depth = regs->valid;
		s->end = regs->valid ? UPF_END_DESCENDING : UPF_END_NONE;
	} else {
		s->end = (uint8_t)walk_frames(space, regs, frames, c->max_frames, &s->depth, &f->above);
	}
	f->end = s->end;
}

/* How many of the @n words read lie behind the window and below the frame pointer? */
static uint32_t gap_of(const struct stack_choice *c, const struct vcpu_regs *regs, uint32_t n)
{
	uint64_t below = (regs->fp - regs->sp) / UPF_WORD;

	if (!stack_is_auto(c) || !is_in_stack(regs, STACK_SIZE) || below <= c->window_words || n <= c->window_words)
		return 0;
	return (below < n ? (uint32_t)below : n) - c->window_words;
}

/* With auto, also what there is behind the window, below the frame pointer. False: memory of the window is missing. */
static bool read_window(const struct stack_choice *c, struct footing *f, struct space *space,
                        const struct vcpu_regs *regs, uint64_t *words, struct upf_sample *s)
{
	bool cold = false, ignored = false;
	uint32_t n;

	s->nwords = n = top_window(space, regs, words, c->window_words, &cold);
	if (!cold && c->max_frames > 1)
		s->nwords = top_interrupts(space, regs, words, n, c->window_words);
	if (gap_of(c, regs, c->copy_words))
		n = top_window(space, regs, words, c->copy_words, &ignored);
	f->gap = gap_of(c, regs, n);
	return !cold;
}

/*
 * Has a walk not come to what may be the stack's root, or to as many frames as are recorded? One frame proves nothing.
 * Missing memory alone is no failure.
 */
static bool has_failed(enum upf_end end, uint32_t depth)
{
	return end != UPF_END_COLD && end != UPF_END_NONE &&
	       ((end != UPF_END_ROOT && end != UPF_END_DEPTH) || depth < 2);
}

/* There is no window, and nothing to copy from. */
static bool read_without_sp(const struct stack_choice *c, struct footing *f, struct space *space,
                            const struct vcpu_regs *regs, uint64_t *frames, struct upf_sample *s)
{
	s->tops = c->window_words ? UPF_TOPS_WINDOW : UPF_TOPS_NONE;
	s->end = (uint8_t)walk_frames(space, regs, frames, c->max_frames, &s->depth, &f->above);
	f->end = s->end;
	f->gap = 0;
	return s->end != UPF_END_COLD;
}

bool stack_read(const struct stack_choice *c, struct footing *f, struct space *space, const struct vcpu_regs *regs,
                const struct stack_room *room, bool live, struct upf_sample *s)
{
	bool complete;

	if (regs->valid && !regs->sp)
		return read_without_sp(c, f, space, regs, room->frames, s);
	walk_by_frames(c, f, space, regs, room->frames, s);
	if (is_copied(c, f) || (live && stack_is_auto(c) && has_failed(s->end, s->depth))) {
		s->tops = UPF_TOPS_COPY;
		s->end = (uint8_t)top_copy(space, regs, room->words, c->copy_words, &s->nwords);
		f->gap = gap_of(c, regs, s->nwords);
		return s->end != UPF_END_COLD;
	}
	s->tops = c->window_words ? UPF_TOPS_WINDOW : UPF_TOPS_NONE;
	complete = read_window(c, f, space, regs, room->words, s);
	return complete && s->end != UPF_END_COLD;
}

/* --- judging ----------------------------------------------------------------------------------------------------- */

/* Is each frame's return address behind a call? The last one may have been put there by hand. */
static bool are_frames(struct returns *r, const struct vcpu_regs *regs, const uint64_t *frames, uint32_t depth)
{
	for (uint32_t i = 1; i < depth; i++)
		if (!returns_to(r, regs, &frames[i], depth - i))
			return i > 1 && i + 1 == depth;
	return true;
}

/*
 * Does the stack end where the frames do? A function that has a frame for its own sake, among others that have none,
 * has saved a frame pointer that looks like the root's, often 0; but above it, there are its callers' return
 * addresses.
 */
static bool is_stack_root(struct returns *r, const struct vcpu_regs *regs, const struct footing *f,
                          const struct upf_sample *s)
{
	uint64_t at = (f->above - regs->sp) / UPF_WORD;

	if (f->end != UPF_END_ROOT)
		return true;
	if (s->tops != UPF_TOPS_COPY || at + RETURNS_ABOVE > s->nwords)
		return !returns_above(r, regs, f->above);
	return !returns_among(r, regs, s->words + at, RETURNS_ABOVE);
}

bool stack_needs_sp(const struct footing *f)
{
	return f->unfounded >= UNFOUNDED_MIN && f->unfounded > f->founded / UNFOUNDED_SHARE;
}

bool stack_judge(const struct stack_choice *c, struct footing *f, struct returns *r, const struct vcpu_regs *regs,
                 struct upf_sample *s)
{
	bool copied = s->tops == UPF_TOPS_COPY;

	if (s->end == UPF_END_NONE || !regs->arch->ends_call || (s->end == UPF_END_COLD && !copied))
		return true;
	if (f->end != UPF_END_COLD && !has_failed(f->end, s->depth) && are_frames(r, regs, s->frames, s->depth) &&
	    is_stack_root(r, regs, f, s) && !returns_among(r, regs, s->words + c->window_words, f->gap)) {
		f->copies -= f->copies > 0;
		f->founded += !regs->sp;
		return true;
	}
	s->depth = 1;
	if (!regs->sp) {
		f->unfounded++;
		s->end = UPF_END_DESCENDING;
		return true;
	}
	f->copies = STACK_COPIES;
	if (!copied)
		s->end = UPF_END_COLD; /* unless the stack is read once more */
	return copied;
}
