/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h - filters by name: --focus, --ignore, --hide and the like. Whole stacks are dropped while a trace is loaded
 * (filter_keeps()); frames are removed when a callchain is made for display (filter_callchain()).
 */
#ifndef REPORT_PROFILE_FILTER_H
#define REPORT_PROFILE_FILTER_H

#include "report/profile/callchain.h"
#include "report/profile/profile.h"

/* Zero-initialise but selection and names, which must outlive it; filter_free() at the end. */
struct filter {
	const struct selection *selection;
	struct symbolizer *names;
	uint8_t *traits; /* by function: what it matches, found once */
	size_t ntraits;
	uint8_t *verdicts; /* by node, kernel's and user mode's stacks apart: kept or not, found once */
	size_t nverdicts;
	struct callchain chain;
};

/* Does anything depend on names or frames at all? */
bool filter_needed(const struct selection *s);
void filter_free(struct filter *f);
/* 1: the stack at @node counts; 0: it does not, or nothing of it would be shown; or -ENOMEM. Of one tree only. */
int filter_keeps(struct filter *f, const struct calltree *tree, uint32_t node, bool user);
/*
 * The stack at @node of @p as callchain_make() has it, without the frames that are not to be shown: a leaf may so be a
 * caller. @user: it is one of user mode. 0 or -ENOMEM.
 */
int filter_callchain(struct callchain *c, const struct profile *p, struct symbolizer *names, uint32_t node, bool user);

#endif
