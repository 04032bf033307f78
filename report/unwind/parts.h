/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - where a function's code lies, by its symbols: the main part, and the cold part that compilers put
 * elsewhere.
 */
#ifndef REPORT_UNWIND_PARTS_H
#define REPORT_UNWIND_PARTS_H

#include "common/hash_table.h"
#include "report/symbols/symbols.h"

/* [start, end) */
struct part {
	uint64_t start, end;
};

#define PARTS 2 /* of a function: the main one and the cold one, which is empty if there is none */

/* The functions that have a cold part, by name. Zero-initialise, cold_free() at the end. */
struct cold {
	struct split {
		const struct symbol_range *hot, *cold; /* the first of each; @hot NULL: there is none */
	} * list;
	size_t n, cap;
	struct hash_table by_name;
};

/* Lists the functions with cold parts among @symbols. 0 or -ENOMEM. */
int cold_list(struct cold *c, const struct symbols *symbols);
void cold_free(struct cold *c);
/* The parts of the function at @address; false: no symbol is there, or a cold part without its function. */
bool parts_find(const struct symbols *symbols, const struct cold *cold, uint64_t address, struct part *parts);

static inline bool parts_have(const struct part *parts, uint64_t address)
{
	return (address >= parts[0].start && address < parts[0].end) ||
	       (address >= parts[1].start && address < parts[1].end);
}

#endif
