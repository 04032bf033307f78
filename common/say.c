/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/say.h"
#include "common/utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *name = "uniprof";

void say_name(const char *program)
{
	name = program;
}

/* The bytes at the beginning of @text that can be shown as they are. */
static size_t safe_length(const char *text)
{
	size_t n = 0, len;
	uint32_t code;

	while (text[n] && (len = utf8_character(text + n, &code)) != 0 && !utf8_is_unsafe(code))
		n += len;
	return n;
}

void print_safe(FILE *out, const char *text)
{
	while (*text) {
		size_t len = safe_length(text);

		fwrite(text, 1, len, out);
		text += len;
		if (*text)
			fprintf(out, "\\x%02x", (unsigned char)*text++);
	}
}

char *safe_text(const char *text)
{
	char *safe = NULL;
	size_t len;
	FILE *memory = open_memstream(&safe, &len);

	if (!memory)
		return NULL;
	print_safe(memory, text);
	if (fclose(memory) == 0)
		return safe;
	free(safe);
	return NULL;
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
