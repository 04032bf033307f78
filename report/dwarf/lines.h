/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - what DWARF says about an address: its function, the functions inlined there, and the line in each.
 *
 * Nothing is read before the first question. Then the ranges of all units are read, and the functions of each unit
 * when an address in it is first asked for. libdw checks the sections; nesting depth and work are limited here.
 */
#ifndef REPORT_DWARF_LINES_H
#define REPORT_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_DEPTH_MAX 64 /* functions at one address; further ones are left out */

/* One function at an address. The texts live as long as the lines. */
struct line_frame {
	/*
	 * The linker's name if it has one of its own; else the source's, of C++ with its scope and parameters; NULL: not
	 * known.
	 */
	const char *name;
	const char *file; /* NULL: not known */
	/* where the function inlined into it is called; in the innermost one, the line of the address; 0: not known */
	uint32_t line;
	/* Of an inlined function without a linker's name: where it is called as well, and may have a symbol; 0: nowhere */
	uint64_t called;
};

struct debug_search;
struct lines;

/*
 * For the ELF file at @path, loaded @bias higher than it was linked for, or its separate debug file, which is
 * searched as @where says (debug_file_find(); copied). The file is opened later. NULL: no memory.
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
