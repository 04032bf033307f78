/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/say.h"

#include <stdarg.h>
#include <string.h>

static const char *name = "uniprof";

void say_name(const char *program)
{
	name = program;
}

/*
 * Length of the well-formed UTF-8 sequence at @s that is safe on a terminal, 0 if there is none: no control characters
 * (C0, DEL, C1), no surrogates, nothing over-long (Unicode 15, table 3-7), no bidirectional overrides (U+202A-E,
 * U+2066-9).
 */
static size_t safe_length(const unsigned char *s)
{
	unsigned code;

	if (s[0] >= 0x20 && s[0] < 0x7f)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0 && (s[1] & 0xc0) == 0x80)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : 2;
	if (s[0] >= 0xe0 && s[0] < 0xf0 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80) {
		code = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
		if (code < 0x800 || (code >= 0xd800 && code < 0xe000))
			return 0;
		return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ? 0 : 3;
	}
	if (s[0] >= 0xf0 && s[0] < 0xf5 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80) {
		code = (s[0] & 0x7u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu);
		return code >= 0x10000 && code < 0x110000 ? 4 : 0;
	}
	return 0;
}

void print_safe(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = safe_length(s);

		if (len)
			fwrite(s, 1, len, out);
		else
			fprintf(out, "\\x%02x", *s);
		s += len ? len : 1;
	}
}

void say(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	flockfile(stderr);
	fprintf(stderr, "%s: ", name);
	print_safe(stderr, text);
	fputc('\n', stderr);
	funlockfile(stderr);
}
