/* SPDX-License-Identifier: BSD-2-Clause */
/* shown.h - what the screen shows of a profile that grows: a fold of its recent part, anew each time, and its rows. */
#ifndef REPORT_TOP_SHOWN_H
#define REPORT_TOP_SHOWN_H

#include "report/top/window.h"
#include "report/fold/edges.h"
#include "report/view/view.h"

#define SHOWN_ALL UINT32_MAX

enum shown_as { SHOWN_TABLE, SHOWN_TREE, SHOWN_CALLS, SHOWN_FLAME };
enum shown_order { SHOWN_BY_SELF, SHOWN_BY_TOTAL, SHOWN_BY_CHANGE, SHOWN_BY_NAME, SHOWN_ORDERS };

/* What is asked for. */
struct shown_request {
	enum shown_as as;
	enum shown_order order;          /* of the table */
	uint64_t last_ns;                /* only so long until now; 0: from the beginning */
	const struct window_mark *until; /* not what came later; NULL: all */
	uint32_t domain, vcpu;           /* only this one; SHOWN_ALL */
	uint32_t function;               /* SHOWN_CALLS: whose callers and callees */
};

/* A line of the table, the tree, or a function's callers and callees. */
struct shown_row {
	uint64_t key; /* tells it apart, also in the next fold */
	uint32_t function;
	unsigned indent;
	char mark;                  /* of the tree: '-' open, '+' closed; else ' ' */
	double self, total, change; /* shares, of 1; change: of the one that rows are sorted by */
};

/* Zero-initialise but for @r, shown_free() at the end. */
struct shown {
	const struct report *r;
	struct window window;
	struct profile recent, before;
	uint64_t span_ns; /* what is shown, until now */
	bool since_start; /* that is all since the beginning */
	struct fold fold; /* its nodes in order of their weight, or for the flame graph of their name */
	bool folded;
	uint64_t *paths; /* by node: a key of the functions that lead there, the same in the next fold */
	struct shown_row *rows;
	size_t nrows, rows_cap;
	/* Branches of the tree that were closed, by their key. */
	struct closed_branch {
		uint64_t key;
		uint64_t is_closed;
	} * closed;
	size_t nclosed, closed_cap;
};

/* Makes all anew. 0, or a negative errno with nothing shown. */
int shown_make(struct shown *s, const struct shown_request *q);
void shown_free(struct shown *s);
/* Opens or closes the branch of the tree with this key. 0 or -ENOMEM. */
int shown_turn(struct shown *s, uint64_t key);
/* The node with this key; 0, the root: there is none. */
uint32_t shown_node(const struct shown *s, uint64_t key);
static inline const char *shown_name(const struct shown *s, uint32_t function)
{
	return edge_name(&s->r->run->names, function);
}

#endif
