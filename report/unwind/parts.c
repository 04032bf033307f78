/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/unwind/parts.h"

#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct part part_at(const struct symbols *s, const struct symbol_range *range)
{
	return (struct part){symbols_start(s, range), symbols_end(s, range)};
}

/* gcc and clang call the cold part of f "f.cold". The length of "f"; 0: @name is no cold part. */
static size_t cold_stem(const char *name)
{
	const char *dot = strstr(name, ".cold");

	return dot && (dot[5] == '\0' || dot[5] == '.') ? (size_t)(dot - name) : 0;
}

/* The function whose name is the first @len bytes of @name; NULL: it has no cold part. */
static struct split *find_split(const struct symbols *symbols, const struct cold *c, const char *name, size_t len)
{
	uint32_t hash, id;

	if (c->n == 0)
		return NULL;
	hash = hash_table_hash_text(&c->by_name, name, len);
	for (size_t at = hash_table_first(&c->by_name, hash); hash_table_id(&c->by_name, &at, hash, &id);
	     at = hash_table_next(&c->by_name, at)) {
		const char *other = symbols_name(symbols, c->list[id].cold);

		if (cold_stem(other) == len && strncmp(other, name, len) == 0)
			return &c->list[id];
	}
	return NULL;
}

/* Another cold part of the same name is that of a function which is not listed. */
static int add_cold(struct cold *c, const struct symbols *symbols, const struct symbol_range *range)
{
	const char *name = symbols_name(symbols, range);
	size_t stem = cold_stem(name);

	if (stem == 0 || find_split(symbols, c, name, stem))
		return 0;
	if (hash_table_reserve(&c->by_name) != 0 || array_room(&c->list, &c->cap, c->n, sizeof(*c->list)) != 0)
		return -ENOMEM;
	c->list[c->n] = (struct split){.cold = range};
	hash_table_add(&c->by_name, hash_table_hash_text(&c->by_name, name, stem), (uint32_t)c->n++);
	return 0;
}

static void add_hot(struct cold *c, const struct symbols *symbols, const struct symbol_range *range)
{
	const char *name = symbols_name(symbols, range);
	struct split *split = find_split(symbols, c, name, strlen(name));

	if (split && !split->hot)
		split->hot = range;
}

static bool begins_symbol(const struct symbol_range *range)
{
	return range->start == range->symbol_start;
}

int cold_list(struct cold *c, const struct symbols *symbols)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < symbols->nranges; i++)
		if (begins_symbol(&symbols->ranges[i]))
			rc = add_cold(c, symbols, &symbols->ranges[i]);
	for (size_t i = 0; rc == 0 && c->n && i < symbols->nranges; i++)
		if (begins_symbol(&symbols->ranges[i]))
			add_hot(c, symbols, &symbols->ranges[i]);
	return rc;
}

void cold_free(struct cold *c)
{
	free(c->list);
	hash_table_free(&c->by_name);
	*c = (struct cold){0};
}

bool parts_find(const struct symbols *symbols, const struct cold *cold, uint64_t address, struct part *parts)
{
	const struct symbol_range *here = symbols_range(symbols, address), *other = NULL;
	const struct split *split;
	const char *name;
	size_t stem;

	if (!here)
		return false;
	name = symbols_name(symbols, here);
	stem = cold_stem(name);
	split = find_split(symbols, cold, name, stem ? stem : strlen(name));
	if (stem) {
		other = here;
		here = split ? split->hot : NULL;
	} else if (split) {
		other = split->cold;
	}
	if (!here)
		return false;
	parts[0] = part_at(symbols, here);
	parts[1] = other ? part_at(symbols, other) : (struct part){0, 0};
	return true;
}
