/* SPDX-License-Identifier: BSD-2-Clause */
#include "command_line.h"

const char *volatile command_line;

const char *argument(const char *key)
{
	const char *line = command_line;

	for (const char *at = line; *at; at++) {
		const char *a = at, *k = key;

		if (at != line && at[-1] != ' ')
			continue;
		while (*k && *a == *k)
			a++, k++;
		if (!*k)
			return a;
	}
	return "";
}

int given(const char *word)
{
	const char *after = argument(word);

	return after != argument("\n") && (*after == '\0' || *after == ' ');
}

int is(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word && (*text == '\0' || *text == ' ' || *text == ':');
}

unsigned number(const char *text)
{
	unsigned n = 0;

	while (*text && *text != ' ' && (*text < '0' || *text > '9'))
		text++;
	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (unsigned)(*text - '0');
	return n;
}
