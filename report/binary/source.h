/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - a source file's lines, as text for a terminal. Which file it is a binary told: only regular files are
 * opened.
 */
#ifndef REPORT_BINARY_SOURCE_H
#define REPORT_BINARY_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_SIZE_MAX (16u << 20) /* bytes; larger files are none that people wrote */

struct source {
	char *text;
	char **lines; /* n of them, in @text */
	size_t n, cap;
	uint64_t changed_ns; /* when it was written last, since 1970 */
};

/*
 * Reads @path, or, of a build made elsewhere, what of it is found in @dir (NULL: nowhere): DIR/home/me/src/a.c,
 * DIR/me/src/a.c and so on to DIR/a.c. 0, or a negative errno with nothing to free.
 */
int source_read(struct source *s, const char *path, const char *dir);
void source_free(struct source *s);
/*
 * Line @number, 1 upwards, with tabs as spaces, safe on a terminal: to be freed. NULL: no memory. "" if there is no
 * such line.
 */
char *source_line(const struct source *s, uint64_t number);

#endif
