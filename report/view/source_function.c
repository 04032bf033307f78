/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/source.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define TAB 8
#define ABOVE_MAX 500 /* lines that are looked at for a signature, and for a brace */
#define COMMENT_MAX 5 /* lines above a signature; objdump -S has as many */

/* --- a line ------------------------------------------------------------------------------------------------------ */

static const char *line_start(const struct source *s, uint32_t number)
{
	const char *line = s->lines[number - 1];

	return line + strspn(line, " \t\r");
}

static bool is_empty(const struct source *s, uint32_t number)
{
	return *line_start(s, number) == '\0';
}

static int indent_of(const struct source *s, uint32_t number)
{
	int n = 0;

	for (const char *c = s->lines[number - 1]; *c == ' ' || *c == '\t'; c++)
		n = *c == '\t' ? n / TAB * TAB + TAB : n + 1;
	return n;
}

/* Belongs to what is above it, however little it is indented: a brace, a preprocessor's line, a label. */
static bool is_inner(const struct source *s, uint32_t number)
{
	const char *at = line_start(s, number);
	size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return *at == '{' || *at == '#' || *at == '\0' || (word && at[word] == ':' && at[word + 1] == '\0');
}

/* --- the function ------------------------------------------------------------------------------------------------ */

/* The least indentation of these lines; is_inner() ones do not count. INT_MAX: there are no others. */
static int least_indent(const struct source *s, uint32_t from, uint32_t to)
{
	int least = INT_MAX;

	for (uint32_t i = from; i <= to; i++)
		if (!is_inner(s, i) && indent_of(s, i) < least)
			least = indent_of(s, i);
	return least;
}

/* The greatest indentation that the function's signature can have; negative: unknown. */
static int signature_indent(const struct source *s, uint32_t first, uint32_t last)
{
	int top = least_indent(s, first, first), least = least_indent(s, first, last);

	/* It is the first line, or a brace has the same indentation. */
	if (first < last && top < least_indent(s, first + 1, last))
		return top;
	if (*line_start(s, first) == '{')
		return indent_of(s, first);
	if (*line_start(s, last) == '}')
		return least;
	return least == INT_MAX ? -1 : least - 1;
}

static bool find_signature(const struct source *s, int indent, uint32_t *first)
{
	for (uint32_t i = *first, looks = 0; i >= 1 && looks < ABOVE_MAX; i--, looks++) {
		if (is_inner(s, i) || indent_of(s, i) > indent)
			continue;
		if (*line_start(s, i) == '}')
			return false; /* another function's */
		*first = i;
		return true;
	}
	return false;
}

static void add_comment(const struct source *s, uint32_t *first)
{
	for (int left = COMMENT_MAX; *first > 1 && left > 0; left--) {
		if (is_empty(s, *first - 1) || *line_start(s, *first - 1) == '}')
			return;
		--*first;
	}
}

static void find_brace(const struct source *s, int indent, uint32_t *last)
{
	for (uint32_t i = *last + 1; i <= s->n && i - *last < ABOVE_MAX; i++) {
		if (is_inner(s, i) || indent_of(s, i) > indent)
			continue;
		if (*line_start(s, i) == '}' && indent_of(s, i) == indent)
			*last = i;
		return;
	}
}

void source_function(const struct source *s, uint32_t *first, uint32_t *last)
{
	int indent = signature_indent(s, *first, *last);

	if (indent < 0 || !find_signature(s, indent, first))
		return;
	indent = indent_of(s, *first);
	if (*line_start(s, *last) != '}' || indent_of(s, *last) != indent)
		find_brace(s, indent, last);
	add_comment(s, first);
}
