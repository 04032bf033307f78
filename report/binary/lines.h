/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - what DWARF says of an address: the function it lies in, those inlined there, and the line of each.
 *
 * Nothing is read before the first question; then the units' ranges, and of each unit that is asked about its
 * functions, once. libdw checks the sections; how deep functions lie in one another and how much is looked at is
 * bounded here.
 */
#ifndef REPORT_BINARY_LINES_H
#define REPORT_BINARY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_DEPTH_MAX 64 /* functions at one address; further ones are not told */

/* One function at an address. The texts live as long as the lines. */
struct line_frame {
	const char *name; /* the linker's name if it has one of its own, else the source's; NULL: not known */
	const char *file; /* NULL: not known */
	uint32_t
		/*
		 * of the function inlined into it, where it is called; of the innermost, of the address; 0: not known
		 */
		line;
};

struct debug_search;
struct lines;

/*
 * The ELF file at @path, which lies @bias higher than it was linked for, or else its separate debug file
 * (debug_file_find(), with a copy of *where, which may be NULL). NULL: no memory. That there is no
 * DWARF shows later.
 */
struct lines *lines_new(const char *path, uint64_t bias, const struct debug_search *where);
void lines_free(struct lines *l); /* NULL is fine */
/*
 * The functions at @address, the innermost last, at most LINES_DEPTH_MAX. Their number; 0: DWARF does not know it.
 * -ENOMEM.
 */
int lines_find(struct lines *l, uint64_t address, struct line_frame *frames);
/* Is there DWARF at all? Opens the file. */
bool lines_any(struct lines *l);

#endif
