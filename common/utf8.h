/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8.h - the characters of UTF-8 text that nobody has checked yet. Never reads behind the terminating NUL. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t utf8_several(const char *s, uint32_t *code); /* utf8_character() for a first byte that is not ASCII */

/*
 * The length in bytes of the well-formed character that @s begins with, 1 to 4, and its code point in *code. 0: the
 * first byte does not begin a well-formed character (Unicode 15, table 3-7); *code is not set. NUL is a character of
 * one byte.
 */
static inline size_t utf8_character(const char *s, uint32_t *code)
{
	if ((unsigned char)*s >= 0x80)
		return utf8_several(s, code);
	*code = (unsigned char)*s;
	return 1;
}

/* Is @c a second or later byte of a character? All other bytes of well-formed text begin one. */
static inline bool utf8_is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* C0, DEL and C1 control characters, and what turns the direction of the text around (U+202A-E, U+2066-9). */
static inline bool utf8_is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

#endif
