/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extents.h - the range of source lines of each function, from the lines of all its instructions. An inlined function
 * has those of every place where it was met.
 */
#ifndef REPORT_FOLD_EXTENTS_H
#define REPORT_FOLD_EXTENTS_H

#include "report/symbols/symbolizer.h"
#include "report/input/binaries.h"

struct extent {
	const char *file;  /* the names' own */
	uint32_t function; /* of the names */
	uint32_t first, last;
	uint64_t first_at, last_at; /* instructions that are of these lines */
};

struct extent_symbol {
	uint64_t start;
	uint32_t program;
};

/* Zero-initialise, extents_free() at the end. */
struct extents {
	HASH_ARRAY(struct extent, of, n, by_function);
	struct hash_array symbols; /* those that have been looked through */
};

void extents_free(struct extents *e);
/*
 * Looks through the code of the symbol at @address of @program, once; without code, or of an architecture that cannot
 * be disassembled, nothing is found. 0 or -ENOMEM.
 */
int extents_add(struct extents *e, const struct binaries *b, struct symbolizer *names, uint32_t program,
                uint64_t address);
/* NULL: not known. */
const struct extent *extents_find(const struct extents *e, uint32_t function, const char *file);

#endif
