/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/vcpu_stacks.h"

#include "record/sampling/sleepers.h"
#include "record/stack/code.h"
#include "record/stack/top.h"

#define WARM_STEPS 64   /* pages mapped one after the other on the way to one stack's end */
#define NEIGHBOURS 256u /* bytes to either side of the stack pointer that the next walk is likely to need */
#define DEEPER 1024u    /* bytes below it that the next copy is likely to need */
#define AHEAD 16384u    /* bytes above it whose pages are mapped together */

void vcpu_stacks_lay_out(struct target *t)
{
	if (!t->batch)
		return;
	capture_batch_clear(t->batch);
	for (size_t i = 0; i < t->nsamples; i++)
		if (!sleepers_left_out(t, i))
			capture_batch_add(t->batch, t->captures[i]);
}

bool vcpu_stacks_copy(struct target *t)
{
	if (t->batch)
		return capture_batch_copy(t->batch) == 0;
	for (size_t i = 0; i < t->nsamples; i++)
		if (!sleepers_left_out(t, i))
			capture_copy(t->captures[i]);
	return true;
}

static struct stack_room room_of(const struct target *t, size_t i)
{
	return (struct stack_room){t->frames + i * t->stack.max_frames, t->words + i * stack_words(&t->stack)};
}

/* One vCPU's stack, as the target's choice asks. False: memory was missing that was noted for the next time. */
static bool walk_stack(struct target *t, size_t i, const struct vcpu_regs *regs, bool live)
{
	struct space space = space_of(regs, t->captures[i]);
	const struct stack_room room = room_of(t, i);
	bool complete = stack_read(&t->stack, &t->footings[i], &space, regs, &room, live, &t->samples[i]);
	/* A copy needs each word from the stack pointer up, frames only some. */
	uint64_t below = t->samples[i].tops == UPF_TOPS_COPY ? DEEPER : NEIGHBOURS;

	if (regs->valid && regs->sp >= below)
		space_want(&space, regs->sp - below, regs->sp + NEIGHBOURS);
	if (t->registers && regs->valid)
		complete &= code_read(&space, regs->ip, &t->registers[i]);
	return complete;
}

bool vcpu_stacks_walk(struct target *t, bool live)
{
	bool complete = true;

	for (size_t i = 0; i < t->nsamples; i++) {
		struct upf_sample *s = &t->samples[i];
		const struct vcpu_stop *stop = &t->stops[s->vcpu];

		if (sleepers_left_out(t, i))
			continue;
		s->depth = s->nwords = 0;
		s->end = UPF_END_NONE;
		if (!stop->online)
			continue;
		capture_set_live(t->captures[i], live);
		complete &= walk_stack(t, i, &stop->regs, live);
	}
	return complete;
}

bool vcpu_stacks_judge(struct target *t)
{
	bool fine = true;

	if (!t->returns)
		return true;
	returns_start(t->returns);
	for (size_t i = 0; i < t->nsamples; i++) {
		const struct vcpu_stop *stop = &t->stops[t->samples[i].vcpu];

		if (!sleepers_left_out(t, i) && stop->online)
			fine &= stack_judge(&t->stack, &t->footings[i], t->returns, &stop->regs, &t->samples[i]);
	}
	return fine;
}

void vcpu_stacks_filter(struct target *t, size_t i)
{
	struct upf_sample *s = &t->samples[i];
	const struct vcpu_regs *regs = &t->stops[s->vcpu].regs;

	if (s->tops == UPF_TOPS_WINDOW && regs->valid && !sleepers_left_out(t, i))
		top_filter(room_of(t, i).words, s->nwords, s->frames, s->depth, s->fp, regs->arch->word);
}

/* What walks noted goes on the lists. How many lines are new; 0, too, if nothing can be mapped. */
static int extend_lists(struct target *t)
{
	int added = 0;

	for (size_t i = 0; i < t->nsamples; i++)
		capture_request(t->captures[i]);
	for (size_t i = 0; i < t->nsamples; i++) {
		int rc = capture_extend(t->captures[i]);

		added += rc > 0 ? rc : 0;
	}
	return added;
}

void vcpu_stacks_renew_lists(struct target *t)
{
	for (size_t i = 0; i < t->nsamples; i++)
		if (!sleepers_left_out(t, i))
			capture_age(t->captures[i]);
	extend_lists(t);
}

/* A walk meets the pages of a stack one after the other; one call maps them all. Needless where nothing is mapped. */
static void expect_stacks(struct target *t)
{
	for (size_t i = 0; i < t->nsamples && !t->batch; i++) {
		const struct vcpu_stop *stop = &t->stops[t->samples[i].vcpu];
		struct space space = space_of(&stop->regs, t->captures[i]);

		if (stop->online && stop->regs.valid && space.arch->translate)
			space_expect(&space, stop->regs.sp, stop->regs.sp + AHEAD);
	}
}

/* Each step finds one page more of each stack. */
void vcpu_stacks_map(struct target *t)
{
	for (int i = 0; i < WARM_STEPS && !vcpu_stacks_walk(t, true); i++) {
		expect_stacks(t);
		if (extend_lists(t) == 0)
			return;
	}
	extend_lists(t);
}
