/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans.h - ranges of addresses that belong to DWARF's units and functions; they may overlap and lie in one another.
 */
#ifndef REPORT_DWARF_SPANS_H
#define REPORT_DWARF_SPANS_H

#include <stddef.h>
#include <stdint.h>

/* [start, end) */
struct span {
	uint64_t start, end;
	uint64_t reach; /* the highest end of this span and those before it: there a search backwards stops */
	uint64_t die;   /* offset of the unit's or function's entry */
	uint32_t unit;  /* the caller's */
};

/* Zero-initialise, free() the list at the end. */
struct spans {
	struct span *list;
	size_t n, cap;
};

/* An empty span is not added. 0 or -ENOMEM. */
int spans_add(struct spans *s, uint64_t start, uint64_t end, uint64_t die, uint32_t unit);
void spans_sort(struct spans *s); /* after the last spans_add(), before spans_find() */
/*
 * The span with @address that begins last; NULL: there is none. Many may begin before @address and end before it: each
 * that is looked at is counted in *looks, and from looks_max on none is found.
 */
const struct span *spans_find(const struct spans *s, uint64_t address, uint64_t *looks, uint64_t looks_max);

#endif
