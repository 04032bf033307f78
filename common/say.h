/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * say.h - one-line messages on stderr: "uniprof-record: what: why".
 * Only the two programs' own code prints them; other code includes this for print_safe() alone.
 */
#ifndef COMMON_SAY_H
#define COMMON_SAY_H

#include <stdio.h>

void say_name(const char *program); /* once, at the start of main(); kept, not copied */
/* Prints a message after the program's name; control characters are shown as \xNN. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes @text to @out with control characters, escape sequences and broken UTF-8 as \xNN: for names that come from
 * guests and strangers. */
void print_safe(FILE *out, const char *text);
/* The same as a string, to be freed; NULL: out of memory. */
char *safe_text(const char *text);

#endif
