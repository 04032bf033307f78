/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * display_stack.h - a stack as trees and tables show it: filtered, with frames in front that stand for no code: its
 * domain and vCPU, if those are told apart, and [user] if it is one of user mode. An empty stack is [no stack].
 */
#ifndef REPORT_PROFILE_DISPLAY_STACK_H
#define REPORT_PROFILE_DISPLAY_STACK_H

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
	bool domains, vcpus; /* have frames of their own */

	struct callchain chain; /* the last one made; frames that stand for no code have the address 0 */
	uint32_t unnamed;       /* how many of its frames have no name */
	struct callchain whole;
	struct {
		bool known;
		uint32_t number, function;
	} last[2];            /* domain and vCPU: the names made last */
	uint32_t *translated; /* from names' functions to the common ones */
	size_t ntranslated;
};

/* Makes r->chain of @s: 0 or -ENOMEM. */
int display_stack_make(struct display_stacks *r, const struct stack *s);
void display_stacks_free(struct display_stacks *r);

static inline bool display_is_code(const struct callchain_frame *f)
{
	return f->address != 0;
}

#endif
