/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * say.h - one-line messages on stderr: "uniprof-record: what: why"; texts that are safe to print; standard streams.
 * Only the two programs' own code prints them; other code includes this for print_safe() and failure().
 */
#ifndef COMMON_SAY_H
#define COMMON_SAY_H

#include <stdio.h>

void say_name(const char *program); /* once, at the start of main(); kept, not copied */
/* Prints a message after the program's name; control characters are shown as \xNN. On a terminal, no word is broken. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes one line for the user to @why, of @size bytes. Returns @rc. */
int failure(char *why, size_t size, int rc, const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Prints @text, which is safe, from @column on. Lines that would be longer than @width columns (0: none would) are
 * broken between words, and go on behind @indent blanks. The column after it.
 */
int print_words(FILE *out, const char *text, int column, int indent, int width);
/* Columns of the terminal @fd, a usual width if it does not tell; 0: it is none. */
int terminal_columns(int fd);
/* Writes @text to @out with control characters, escape sequences and broken UTF-8 as \xNN: for names that come from
 * guests and strangers. */
void print_safe(FILE *out, const char *text);
/* The same as a string, to be freed; NULL: out of memory. */
char *safe_text(const char *text);

/* --- standard input, output and error ---------------------------------------------------------------------------- */

/*
 * Opens those of descriptors 0 to 2 that are closed, on /dev/null, so that no file opened later gets such a number and
 * receives messages or loses what is written to it. Reading finds the end of the file, messages are discarded, but
 * writing to standard output fails with EBADF: output that the user asked for must not disappear without an error.
 * To be called before anything else is opened. 0 or a negative errno.
 */
int standard_streams_open(void);

/* Writes what is buffered for standard output. 0, or a negative errno if this or an earlier write failed. */
int standard_output_flush(void);
/* Writes all @len bytes to @fd, which may be non-blocking: whoever shares it can set that. 0 or a negative errno. */
int write_all(int fd, const void *data, size_t len);

#endif
