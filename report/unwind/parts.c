/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/parts.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Other symbols, as labels, may lie inside a function, which goes on after them. */
static struct part part_at(const struct symbols *s, const struct symbol_range *range)
{
	const struct symbol_range *end = s->ranges + s->nranges;
	struct part p = {range->symbol_start, range->end};

	for (const struct symbol_range *next = range + 1; next < end && next->symbol_start == p.start; next++)
		p.end = next->end;
	return p;
}

/* gcc and clang call the cold part of f "f.cold". The length of "f"; 0: @name is no cold part. */
static size_t cold_stem(const char *name)
{
	const char *dot = strstr(name, ".cold");

	return dot && (dot[5] == '\0' || dot[5] == '.') ? (size_t)(dot - name) : 0;
}

int cold_list(struct cold *c, const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->nranges; i++) {
		const struct symbol_range *range = &symbols->ranges[i];

		if (range->start != range->symbol_start || !cold_stem(symbols_name(symbols, range)))
			continue;
		if (array_room(&c->list, &c->cap, c->n, sizeof(range)) != 0)
			return -ENOMEM;
		c->list[c->n++] = range;
	}
	return 0;
}

void cold_free(struct cold *c)
{
	free(c->list);
	*c = (struct cold){0};
}

static const struct symbol_range *find_cold(const struct symbols *symbols, const struct cold *c, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < c->n; i++) {
		const char *other = symbols_name(symbols, c->list[i]);

		if (cold_stem(other) == len && strncmp(other, name, len) == 0)
			return c->list[i];
	}
	return NULL;
}

/* The function whose name is the first @len bytes of @name. */
static const struct symbol_range *find_hot(const struct symbols *symbols, const char *name, size_t len)
{
	for (size_t i = 0; i < symbols->nranges; i++) {
		const struct symbol_range *range = &symbols->ranges[i];
		const char *other = symbols_name(symbols, range);

		if (range->start == range->symbol_start && strncmp(other, name, len) == 0 && other[len] == '\0')
			return range;
	}
	return NULL;
}

bool parts_find(const struct symbols *symbols, const struct cold *cold, uint64_t address, struct part *parts)
{
	const struct symbol_range *here = symbols_range(symbols, address), *other;
	const char *name;
	size_t stem;

	if (!here)
		return false;
	name = symbols_name(symbols, here);
	stem = cold_stem(name);
	other = stem ? here : find_cold(symbols, cold, name);
	if (stem)
		here = find_hot(symbols, name, stem);
	if (!here)
		return false;
	parts[0] = part_at(symbols, here);
	parts[1] = other ? part_at(symbols, other) : (struct part){0, 0};
	return true;
}
