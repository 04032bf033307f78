/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/vcpu_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "record/stack/top.h"

#define WARM_STEPS 64    /* pages mapped one after the other on the way to one stack's end */
#define NEIGHBOURS 256u  /* bytes to either side of the stack pointer that the next walk is likely to need */
#define DEEPER 1024u     /* bytes below it that the next copy is likely to need */
#define COPY_OVERHEAD 48 /* words that a copy's registers may take in a block; all others take more */
#define LINES_MAX 384    /* that a pause copies of one vCPU's memory, beside twice the stack that is kept */
#define AHEAD 16384u     /* bytes above it whose pages are mapped together */

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* A round that does not fit into a block could not be recorded: with many vCPUs, stacks are truncated more. */
static bool limit(struct stack_choice *s, size_t vcpus)
{
	size_t frames = UPF_ROUND_FRAMES_MAX / vcpus, window = UPF_ROUND_WINDOW_MAX / vcpus;
	size_t copy = UPF_ROUND_COPY_MAX / vcpus;
	size_t overhead = COPY_OVERHEAD + (s->registers ? UPF_REGISTERS_WORDS : 0);

	if (s->registers && vcpus > UPF_ROUND_REGISTERS_MAX)
		return false;
	if (s->copy_words && copy <= 2 * overhead) {
		if (!s->window_words)
			return false;
		s->copy_words = 0;
	}
	if (s->copy_words && !s->window_words)
		s->max_frames = 1;
	if (s->copy_words)
		frames = UPF_ROUND_COPY_FRAMES_MAX / vcpus;
	if (s->max_frames > frames)
		s->max_frames = (uint32_t)frames;
	if (s->window_words > window)
		s->window_words = (uint32_t)window;
	if (s->copy_words && s->copy_words > copy - overhead)
		s->copy_words = (uint32_t)(copy - overhead);
	return true;
}

int vcpu_stacks_open(struct vcpu_stacks *all, uint32_t vcpus, const uint64_t *wanted,
                     const struct stack_choice *choice)
{
	size_t n = 0;

	all->choice = *choice;
	if (vcpus > UPF_VCPUS_MAX)
		return -ENOTSUP;
	for (uint32_t v = 0; v < vcpus; v++)
		n += vcpu_is_in(wanted, v);
	if (n == 0)
		return -ENODEV;
	if (!limit(&all->choice, n))
		return -E2BIG;
	all->nsamples = n;
	all->stops = calloc(vcpus, sizeof(*all->stops));
	all->samples = calloc(n, sizeof(*all->samples));
	all->frames = calloc(n * all->choice.max_frames, sizeof(*all->frames));
	all->words = calloc(n * stack_words(&all->choice) + 1, sizeof(*all->words));
	all->last_cpu_ns = calloc(n, sizeof(*all->last_cpu_ns));
	all->sleepers = calloc(n, sizeof(*all->sleepers));
	all->footings = calloc(n, sizeof(*all->footings));
	if (all->choice.registers && !(all->registers = calloc(n, sizeof(*all->registers))))
		return -ENOMEM;
	if (!all->sleepers || !all->footings || !all->stops || !all->samples || !all->frames || !all->words ||
	    !all->last_cpu_ns)
		return -ENOMEM;
	n = 0;
	for (uint32_t v = 0; v < vcpus; v++) {
		if (!vcpu_is_in(wanted, v))
			continue;
		all->samples[n].vcpu = v;
		all->samples[n].frames = all->frames + n * all->choice.max_frames;
		all->samples[n].words = all->words + n * stack_words(&all->choice);
		all->samples[n].regs = all->stops[v].regs.all;
		n++;
	}
	return 0;
}

int vcpu_stacks_capture(struct vcpu_stacks *all, struct pages *pages)
{
	size_t lines = LINES_MAX + 2 * stack_words(&all->choice) * UPF_WORD / CAPTURE_LINE;

	all->captures = calloc(all->nsamples, sizeof(*all->captures));
	for (size_t i = 0; all->captures && i < all->nsamples; i++)
		if (!(all->captures[i] = capture_new(pages, lines)))
			return -ENOMEM;
	if (stack_is_auto(&all->choice) && !(all->returns = returns_new(pages)))
		return -ENOMEM;
	if (all->captures && pages_remote(pages))
		all->batch = capture_batch_new(pages, all->nsamples, lines);
	return all->captures && (all->batch || !pages_remote(pages)) ? 0 : -ENOMEM;
}

void vcpu_stacks_close(struct vcpu_stacks *all)
{
	for (size_t i = 0; all->captures && i < all->nsamples; i++)
		capture_free(all->captures[i]);
	free(all->captures);
	returns_free(all->returns);
	capture_batch_free(all->batch);
	free(all->stops);
	free(all->samples);
	free(all->frames);
	free(all->words);
	free(all->last_cpu_ns);
	free(all->sleepers);
	free(all->footings);
	free(all->registers);
}

/* --- a round ----------------------------------------------------------------------------------------------------- */

void vcpu_stacks_lay_out(struct vcpu_stacks *all)
{
	if (!all->batch)
		return;
	capture_batch_clear(all->batch);
	for (size_t i = 0; i < all->nsamples; i++)
		if (!vcpu_stacks_leave_out(all, i))
			capture_batch_add(all->batch, all->samples[i].vcpu, all->captures[i]);
}

bool vcpu_stacks_copy(struct vcpu_stacks *all)
{
	if (all->batch)
		return capture_batch_copy(all->batch) == 0;
	for (size_t i = 0; i < all->nsamples; i++)
		if (!vcpu_stacks_leave_out(all, i))
			capture_copy(all->captures[i]);
	return true;
}

static struct stack_room room_of(const struct vcpu_stacks *all, size_t i)
{
	return (struct stack_room){all->frames + i * all->choice.max_frames,
	                           all->words + i * stack_words(&all->choice)};
}

/* One vCPU's stack, as the target's choice asks. False: memory was missing that was noted for the next time. */
static bool walk_stack(struct vcpu_stacks *all, size_t i, const struct vcpu_regs *regs, bool live)
{
	struct space space = space_of(regs, all->captures[i]);
	const struct stack_room room = room_of(all, i);
	bool complete = stack_read(&all->choice, &all->footings[i], &space, regs, &room, live, &all->samples[i]);
	/* A copy needs each word from the stack pointer up, frames only some. */
	uint64_t below = all->samples[i].tops == UPF_TOPS_COPY ? DEEPER : NEIGHBOURS;

	if (regs->valid && regs->sp >= below)
		space_want(&space, regs->sp - below, regs->sp + NEIGHBOURS);
	if (all->registers && regs->valid)
		complete &= top_read_code(&space, regs->ip, &all->registers[i]);
	return complete;
}

bool vcpu_stacks_walk(struct vcpu_stacks *all, bool live)
{
	bool complete = true;

	for (size_t i = 0; i < all->nsamples; i++) {
		struct upf_sample *s = &all->samples[i];
		const struct vcpu_stop *stop = &all->stops[s->vcpu];

		if (vcpu_stacks_leave_out(all, i))
			continue;
		s->depth = s->nwords = 0;
		s->end = UPF_END_NONE;
		if (!stop->online)
			continue;
		capture_set_live(all->captures[i], live);
		complete &= walk_stack(all, i, &stop->regs, live);
	}
	return complete;
}

bool vcpu_stacks_judge(struct vcpu_stacks *all)
{
	bool fine = true;

	if (!all->returns)
		return true;
	returns_start(all->returns);
	for (size_t i = 0; i < all->nsamples; i++) {
		const struct vcpu_stop *stop = &all->stops[all->samples[i].vcpu];

		if (!vcpu_stacks_leave_out(all, i) && stop->online)
			fine &= stack_judge(&all->choice, &all->footings[i], all->returns, &stop->regs,
			                    &all->samples[i]);
	}
	return fine;
}

void vcpu_stacks_filter(struct vcpu_stacks *all, size_t i)
{
	struct upf_sample *s = &all->samples[i];
	const struct vcpu_regs *regs = &all->stops[s->vcpu].regs;

	if (s->tops == UPF_TOPS_WINDOW && regs->valid && !vcpu_stacks_leave_out(all, i))
		top_filter(room_of(all, i).words, s->nwords, s->frames, s->depth, s->fp, regs->arch->word);
}

/* What walks noted goes on the lists. How many lines are new; 0, too, if nothing can be mapped. */
static int extend_lists(struct vcpu_stacks *all)
{
	int added = 0;

	for (size_t i = 0; i < all->nsamples; i++)
		capture_request(all->captures[i]);
	for (size_t i = 0; i < all->nsamples; i++) {
		int rc = capture_extend(all->captures[i]);

		added += rc > 0 ? rc : 0;
	}
	return added;
}

void vcpu_stacks_renew_lists(struct vcpu_stacks *all)
{
	for (size_t i = 0; i < all->nsamples; i++)
		if (!vcpu_stacks_leave_out(all, i))
			capture_age(all->captures[i]);
	extend_lists(all);
}

/* A walk meets the pages of a stack one after the other; one call maps them all. Needless where nothing is mapped. */
static void expect_stacks(struct vcpu_stacks *all)
{
	for (size_t i = 0; i < all->nsamples && !all->batch; i++) {
		const struct vcpu_stop *stop = &all->stops[all->samples[i].vcpu];
		struct space space = space_of(&stop->regs, all->captures[i]);

		if (stop->online && stop->regs.valid && space.arch->translate)
			space_expect(&space, stop->regs.sp, stop->regs.sp + AHEAD);
	}
}

/* Each step finds one page more of each stack. */
void vcpu_stacks_map(struct vcpu_stacks *all)
{
	for (int i = 0; i < WARM_STEPS && !vcpu_stacks_walk(all, true); i++) {
		expect_stacks(all);
		if (extend_lists(all) == 0)
			return;
	}
	extend_lists(all);
}
