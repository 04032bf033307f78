/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - the lines of a source file, as text for a terminal. The file's name comes from a binary, so only regular
 * files are opened.
 */
#ifndef REPORT_VIEW_SOURCE_H
#define REPORT_VIEW_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_SIZE_MAX (16u << 20) /* bytes; nobody writes larger ones */

struct source {
	char *text;
	char **lines; /* n of them, in @text */
	size_t n, cap;
	uint64_t changed_ns; /* when it was written last, since 1970 */
};

/*
 * Reads @path, or else, for a build made elsewhere, the first that exists in @dir (may be NULL) of
 * DIR/home/me/src/a.c, DIR/me/src/a.c and so on to DIR/a.c. 0, or a negative errno with nothing to free.
 */
int source_read(struct source *s, const char *path, const char *dir);
void source_free(struct source *s);
/*
 * Line @number, from 1, with tabs expanded, safe on a terminal; the caller frees it. "" if there is no such line.
 * NULL: no memory.
 */
char *source_line(const struct source *s, uint64_t number);
/*
 * Widens *first to *last, lines of a function that the source has, to the signature above with its comment, and to the
 * closing brace below: no instruction belongs to the signature, and optimised code often has none of the first and
 * last lines. Indentation tells (source_function.c). What does not look like a function stays as it is.
 */
void source_function(const struct source *s, uint32_t *first, uint32_t *last);

#endif
