/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * monitor_names.h - the functions of a virtual machine monitor, of which a trace knows a file and a place in it. The
 * file is the one of that build-id: where it was when the trace was recorded, or where programs are searched by
 * build-id (debug_file.h).
 */
#ifndef REPORT_SYMBOLS_MONITOR_NAMES_H
#define REPORT_SYMBOLS_MONITOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_search;
struct monitor_file;

/* Zero-initialise, monitor_names_free() at the end. */
struct monitor_names {
	const struct debug_search *where; /* NULL: every function is unknown */
	bool mangled;                     /* do not demangle names */
	struct monitor_file *files;
	size_t n, cap;
};

void monitor_names_free(struct monitor_names *m);

#define MONITOR_PLACE_MAX 512 /* bytes of the text of a place */

/* A place as a text: "@", the build-id in hexadecimal, "+" and the offset, a blank, the path. */
void monitor_place(char text[MONITOR_PLACE_MAX], const uint8_t *build_id, size_t size, uint64_t offset,
                   const char *path, size_t path_size);
/*
 * The symbol at a place, "[unknown]" if there is none, and behind it "[VMM:FILE]": in @name, for free(). @text that is no
 * place is taken as it is. 0 or -ENOMEM.
 */
int monitor_name(struct monitor_names *m, const char *text, char **name);

#endif
