/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * say.h - one-line messages on stderr: "uniprof-record: what: why".
 * Only the two programs' own code prints them; other code includes this for print_safe() and failure().
 */
#ifndef COMMON_SAY_H
#define COMMON_SAY_H

#include <stdio.h>

void say_name(const char *program); /* once, at the start of main(); kept, not copied */
/* Prints a message after the program's name; control characters are shown as \xNN. On a terminal, no word is broken. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes one line for the user to @why, of @size bytes, for who prints it. Returns @rc. */
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

#endif
