/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rooted.h - a stack as trees and tables show it: below its domain and vCPU, where those are told apart, and below
 * [user] if it is one of user mode; an empty one is [no stack].
 */
#ifndef REPORT_PROFILE_ROOTED_H
#define REPORT_PROFILE_ROOTED_H

#include "report/profile/callchain.h"
#include "report/profile/profile.h"

/*
 * One run's stacks, by the functions of other names if need be. Zero-initialise but the first five; rooted_free() at
 * the end.
 */
struct rooted {
	const struct profile *profile;
	struct symbolizer *names;
	struct symbolizer *common; /* names that frames shall have: of another run, or @names itself */
	const struct upf_session *session;
	bool domains, vcpus; /* told apart */

	struct callchain chain; /* the last one made; what stands for no code has the address 0 */
	uint32_t unnamed;       /* how many of its frames have no name */
	struct callchain whole;
	struct {
		bool known;
		uint32_t number, function;
	} last[2];            /* domain and vCPU: names made last */
	uint32_t *translated; /* from names' functions to the common ones */
	size_t ntranslated;
};

/* Makes r->chain of @s: 0 or -ENOMEM. */
int rooted_make(struct rooted *r, const struct stack *s);
void rooted_free(struct rooted *r);

static inline bool rooted_is_code(const struct callchain_frame *f)
{
	return f->address != 0;
}

#endif
