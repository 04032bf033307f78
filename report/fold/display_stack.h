/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * display_stack.h - a stack as trees and tables show it: filtered, with frames in front that stand for no code: its
 * domain, vCPU and address space, if those are told apart, and [user] if it is one of user mode. An empty stack is
 * [no stack].
 */
#ifndef REPORT_FOLD_DISPLAY_STACK_H
#define REPORT_FOLD_DISPLAY_STACK_H

#include "report/profile/callchain.h"
#include "report/profile/profile.h"

/*
 * The stacks of one run. For a comparison, functions of the old run are replaced by those of the same name of the new
 * one (@common). Zero-initialise all but the first six members; display_stacks_free() at the end.
 */
struct display_stacks {
	const struct profile *profile;
	struct symbolizer *names;
	struct symbolizer *common; /* whose functions the frames get: of the new run, or @names itself */
	const struct upf_session *session;
	bool domains, vcpus, spaces; /* have frames of their own */

	struct callchain chain; /* the last one made; frames that stand for no code have the address 0 */
	uint32_t unnamed;       /* how many of its frames have no name */
	struct callchain whole;
	struct {
		bool known;
		uint64_t number;
		uint32_t function;
	} last[3];            /* domain, vCPU, address space: the names made last */
	uint32_t *translated; /* by function of the names: its number among the common ones, + 1; 0: not known yet */
	size_t ntranslated;
};

/* How an address space is called: by the address of its page tables. 0: it is not known. */
void space_text(uint64_t space, char *text, size_t size);
/* Makes r->chain of @s: 0 or -ENOMEM. */
int display_stack_make(struct display_stacks *r, const struct stack *s);
void display_stacks_free(struct display_stacks *r);

static inline bool display_is_code(const struct callchain_frame *f)
{
	return f->address != 0;
}

#endif
