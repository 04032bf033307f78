/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.h - one vCPU's stack, as a sample keeps it: frames by frame pointers with a window of words, or a copy.
 *
 * With auto, both are possible: frame pointers where they lead to the root, else a copy. stack_read() only reads;
 * stack_judge() decides afterwards, while the guest runs, whether frame pointers can be trusted. Once they have
 * failed, the stack is copied for STACK_COPIES samples, so that a program in which they fail now and then costs few
 * rounds that are taken twice.
 */
#ifndef RECORD_STACK_STACK_H
#define RECORD_STACK_STACK_H

#include "format/upf.h"
#include "guest/space.h"
#include "record/stack/returns.h"

#define STACK_COPIES 128u

/* How much of a stack is recorded. With words of both it is auto. */
struct stack_choice {
	uint32_t max_frames;
	uint32_t window_words; /* at the top of the stack, beside frames by frame pointers; at most */
	uint32_t copy_words;   /* of the whole stack, at most */
	bool registers;        /* all registers and the code there; with auto, the stack is copied each time */
};

/* What earlier samples of a vCPU, and the last one, tell of its frame pointers. Zero-initialise. */
struct footing {
	uint32_t copies;             /* samples for which the stack will still be copied */
	uint8_t end;                 /* enum upf_end: of the walk by frame pointers */
	uint64_t above;              /* address behind the last frame that it found */
	uint32_t gap;                /* words read between the window and the frame pointer */
	uint32_t founded, unfounded; /* samples without a stack pointer whose frames could be trusted, or not */
};

/* Where a sample's frames and words go: max_frames and stack_words() of them. */
struct stack_room {
	uint64_t *frames, *words;
};

/* Words of memory for one stack, whichever way it is read. */
static inline uint32_t stack_words(const struct stack_choice *c)
{
	return c->copy_words > c->window_words ? c->copy_words : c->window_words;
}

static inline bool stack_is_auto(const struct stack_choice *c)
{
	return c->copy_words && c->window_words;
}

/* What a trace holds of the stacks' memory. */
enum upf_tops stack_tops(const struct stack_choice *c);

/*
 * Reads the stack of @regs into the sample: its frames, words, tops and end. Makes no call and allocates nothing.
 * @live: if frame pointers lead to no root, copies the stack at once. False: memory is missing that was noted for the
 * next time. Without a stack pointer there are frames only.
 */
bool stack_read(const struct stack_choice *c, struct footing *f, struct space *space, const struct vcpu_regs *regs,
                const struct stack_room *room, bool live, struct upf_sample *s);

/*
 * With auto, after stack_read(): takes frames off the sample that cannot be trusted. False: they cannot, and there is
 * no copy instead. Not while the guest is paused.
 */
bool stack_judge(const struct stack_choice *c, struct footing *f, struct returns *r, const struct vcpu_regs *regs,
                 struct upf_sample *s);
/* Are frames not to be trusted in so many samples without a stack pointer that these are of no use? */
bool stack_needs_sp(const struct footing *f);

#endif
