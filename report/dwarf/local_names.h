/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * local_names.h - which function of one unit a piece of inlined code is of, where its compiler gives it no linker's
 * name: GCC gives none to local functions. Such a function has the name of the symbol of its copy that is called; if
 * there is none, a name as demangled symbols have it: scope, name and parameters.
 */
#ifndef REPORT_DWARF_LOCAL_NAMES_H
#define REPORT_DWARF_LOCAL_NAMES_H

#include "common/array.h"

#include <elfutils/libdw.h>

/* Zero-initialise, local_names_free() at the end. */
struct local_names {
	struct scope_entry {
		Dwarf_Off die, parent; /* 0: the unit */
	} * scopes;                    /* by die */
	size_t nscopes, scopes_cap;
	struct copy_entry {
		Dwarf_Off origin; /* the function that it is a copy of */
		Dwarf_Addr address;
	} * copies;
	size_t ncopies, copies_cap;
};

void local_names_free(struct local_names *n);
/* What @die is in; each @die after those before it. 0 or -ENOMEM. */
int local_names_scope(struct local_names *n, Dwarf_Die *die, Dwarf_Die *parent);
/* The function @die, if it is the copy of another entry's that has an address. 0 or -ENOMEM. */
int local_names_copy(struct local_names *n, Dwarf_Die *die);
void local_names_sort(struct local_names *n); /* after the last one, before the following */

/* Where the function that @inlined is a copy of stands on its own, as linked; false: not in this unit. */
bool local_names_called(const struct local_names *n, Dwarf_Die *inlined, Dwarf_Addr *address);
/* Appends the name of the function @die in C++, with its scope and parameters, and a NUL. 0 or -ENOMEM. */
int local_names_text(const struct local_names *n, Dwarf_Die *die, struct buf *out);

#endif
