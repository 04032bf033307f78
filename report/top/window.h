/* SPDX-License-Identifier: BSD-2-Clause */
/* window.h - the recent part of a profile that grows, and the part before it. */
#ifndef REPORT_TOP_WINDOW_H
#define REPORT_TOP_WINDOW_H

#include "report/profile/profile.h"

#define WINDOW_MARKS 24u /* kept; the oldest ones go */

/* What all stacks weighed at one time of the trace. */
struct window_mark {
	uint64_t time_ns;
	struct window_weights {
		uint64_t samples, cpu_ns, time;
	} * of;
	size_t n, cap;
};

/* Makes @m, zero-initialised or made before, of what @p has counted until @time_ns; free(m->of). 0 or -ENOMEM. */
int window_note(struct window_mark *m, const struct profile *p, uint64_t time_ns);

/* Zero-initialise, window_free() at the end. */
struct window {
	struct window_mark marks[WINDOW_MARKS];
	size_t n; /* made so far; number i is in marks[i % WINDOW_MARKS] */
};

/* Adds the mark of @time_ns, which is later than before. 0 or -ENOMEM. */
int window_mark(struct window *w, const struct profile *p, uint64_t time_ns);
/* The last mark at @time_ns or before; NULL: there is none, it is from the beginning. */
const struct window_mark *window_find(const struct window *w, uint64_t time_ns);
/*
 * *@part becomes what @p has counted after @from and, unless @to is NULL, until @to; it shares all but its stacks with
 * @p, and lives no longer than @p stays as it is: free(part->stacks). 0 or -ENOMEM.
 */
int window_part(const struct profile *p, const struct window_mark *from, const struct window_mark *to,
                struct profile *part);
void window_free(struct window *w);

#endif
