/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/symbols.h"
#include "common/array.h"
#include "report/symbols/demangle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How far the last symbol of a list without sizes may reach: to its page's end and one page more, as perf does. */
#define PAGE 4096u

int symbols_add(struct symbols *s, struct symbol symbol, const char *name, size_t len)
{
	if (!symbol.mark && len >= SYMBOLS_TEXT_MAX - s->names.len)
		return 0;
	symbol.name = s->names.len;
	if (!symbol.mark) {
		buf_add(&s->names, name, len);
		buf_add(&s->names, "", 1);
	}
	return s->names.failed ? -ENOMEM : array_add(s->added, s->cap, s->nadded, symbol);
}

int symbols_append(struct symbols *s, const struct symbols *other)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < other->nadded; i++) {
		const struct symbol *symbol = &other->added[i];
		const char *name = symbol->mark ? "" : (const char *)other->names.data + symbol->name;

		rc = symbols_add(s, *symbol, name, strlen(name));
	}
	return rc;
}

void symbols_move(struct symbols *s, size_t from, uint64_t bias)
{
	for (size_t i = from; i < s->nadded; i++) {
		s->added[i].start += bias;
		if (s->added[i].limit)
			s->added[i].limit += bias;
	}
}

bool symbols_added(const struct symbols *s, const char *name, size_t from, size_t to, uint64_t *address)
{
	for (size_t i = from; i < to; i++) {
		if (s->added[i].mark || strcmp((const char *)s->names.data + s->added[i].name, name) != 0)
			continue;
		*address = s->added[i].start;
		return true;
	}
	return false;
}

bool symbols_lowest(const struct symbols *s, size_t from, uint64_t *address)
{
	bool found = false;

	for (size_t i = from; i < s->nadded; i++) {
		if (s->added[i].mark || (found && s->added[i].start >= *address))
			continue;
		*address = s->added[i].start;
		found = true;
	}
	return found;
}

void symbols_free(struct symbols *s)
{
	free(s->added);
	if (!s->shared) {
		free(s->ranges);
		buf_free(&s->names);
	}
	*s = (struct symbols){0};
}

/* --- which of several symbols at one address --------------------------------------------------------------------- */

static int prefer_bool(bool a, bool b)
{
	return (int)b - (int)a;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

static bool is_clone_name(const char *name)
{
	size_t len = strlen(name);

	return demangle_base(name, len) != len;
}

static int prefer_name(const char *a, const char *b)
{
	size_t ua = underscores(a), ub = underscores(b), la = strlen(a), lb = strlen(b);

	if (ua != ub)
		return array_compare(ua, ub);
	if (la != lb)
		return array_compare(la, lb);
	return strcmp(a, b);
}

/* By address; the one to keep first. Marks have no name; of marks alone there are no @names at all. */
static int compare_symbols(const void *va, const void *vb, void *names)
{
	const struct symbol *a = va, *b = vb;
	const char *na, *nb;
	int order;

	if (a->start != b->start)
		return array_compare(a->start, b->start);
	if ((order = prefer_bool(!a->mark, !b->mark)) != 0 || a->mark)
		return order;
	if ((order = prefer_bool(a->size != 0, b->size != 0)) != 0)
		return order;
	if ((order = prefer_bool(!a->label, !b->label)) != 0)
		return order;
	na = (const char *)names + a->name;
	nb = (const char *)names + b->name;
	if ((order = prefer_bool(!is_clone_name(na), !is_clone_name(nb))) != 0)
		return order;
	if (a->bind != b->bind)
		return array_compare(b->bind, a->bind);
	return prefer_name(na, nb);
}

static uint64_t sized_end(const struct symbol *sym)
{
	return sym->size > UINT64_MAX - sym->start ? UINT64_MAX : sym->start + sym->size;
}

/* Nothing says that more than a jump goes there. */
static bool is_local_label(const struct symbol *sym)
{
	return sym->label && sym->size == 0 && sym->bind == SYMBOL_LOCAL;
}

/*
 * Of two labels without a size nothing tells whether the second begins a function: if it is local and untyped, it is
 * taken as a place in what stands before it in its section and is global or typed. @around is that, or NULL.
 */
static bool is_inside(const struct symbol *sym, const struct symbol *around)
{
	return around && is_local_label(sym) && around->size == 0 && sym->start < around->limit;
}

/* Keeps one symbol an address, and none without a size inside one with a size: those are labels in a function. */
static void drop_aliases(struct symbols *s)
{
	const struct symbol *around = NULL;
	uint64_t covered = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->nadded; i++) {
		const struct symbol *sym = &s->added[i];

		if (n > 0 && s->added[n - 1].start == sym->start)
			continue;
		if ((sym->size == 0 && sym->start < covered) || is_inside(sym, around))
			continue;
		if (sym->size != 0 && sized_end(sym) > covered)
			covered = sized_end(sym);
		s->added[n++] = *sym;
		if (sym->mark || !is_local_label(sym))
			around = sym->mark ? NULL : &s->added[n - 1];
	}
	s->nadded = n;
}

/* --- ranges ------------------------------------------------------------------------------------------------------ */

static uint64_t symbol_end(const struct symbols *s, size_t i)
{
	const struct symbol *sym = &s->added[i];
	uint64_t end = UINT64_MAX;

	if (sym->size != 0)
		return sized_end(sym);
	if (i + 1 < s->nadded)
		end = s->added[i + 1].start;
	else if (sym->limit == 0 && sym->start < UINT64_MAX - 2 * PAGE)
		end = (sym->start + PAGE) / PAGE * PAGE + PAGE;
	return sym->limit != 0 && sym->limit < end ? sym->limit : end;
}

static int add_range(struct symbols *s, size_t i, uint64_t start, uint64_t end)
{
	const struct symbol *sym = &s->added[i];

	if (start >= end || sym->mark)
		return 0;
	return array_add(s->ranges, s->ranges_cap, s->nranges,
	                 (struct symbol_range){start, end, sym->start, sym->name});
}

/* What is open at one address, the innermost last. */
struct open_symbols {
	size_t *of;
	size_t n;
	uint64_t at; /* everything below it is in ranges */
};

/* Ends the open symbols that end at or below @until, and cuts a range of the innermost that goes on. */
static int end_until(struct symbols *s, struct open_symbols *open, uint64_t until)
{
	int rc = 0;

	while (rc == 0 && open->n > 0) {
		size_t i = open->of[open->n - 1];
		uint64_t end = symbol_end(s, i);

		rc = add_range(s, i, open->at, end < until ? end : until);
		if (end > until)
			break;
		if (end > open->at)
			open->at = end;
		open->n--;
	}
	open->at = until;
	return rc;
}

static int make_ranges(struct symbols *s)
{
	struct open_symbols open = {.of = calloc(s->nadded + 1, sizeof(*open.of))};
	int rc = open.of ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < s->nadded; i++) {
		rc = end_until(s, &open, s->added[i].start);
		open.of[open.n++] = i;
	}
	if (rc == 0)
		rc = end_until(s, &open, UINT64_MAX);
	free(open.of);
	return rc;
}

int symbols_sort(struct symbols *s)
{
	int rc;

	if (s->nadded == 0)
		return 0;
	qsort_r(s->added, s->nadded, sizeof(*s->added), compare_symbols, s->names.data);
	drop_aliases(s);
	rc = make_ranges(s);
	free(s->added);
	s->added = NULL;
	s->nadded = s->cap = 0;
	return rc;
}

struct symbols symbols_elsewhere(const struct symbols *s, uint64_t bias)
{
	struct symbols same = *s;

	same.bias += bias;
	same.shared = true;
	return same;
}

const struct symbol_range *symbols_range(const struct symbols *s, uint64_t address)
{
	size_t low;

	address -= s->bias;
	ARRAY_SEARCH(low, s->nranges, s->ranges[low].end <= address);
	return low < s->nranges && s->ranges[low].start <= address ? &s->ranges[low] : NULL;
}

uint64_t symbols_end(const struct symbols *s, const struct symbol_range *range)
{
	const struct symbol_range *end = s->ranges + s->nranges;
	uint64_t last = range->end;

	for (const struct symbol_range *next = range; next < end && next->symbol_start == range->symbol_start; next++)
		last = next->end;
	return last + s->bias;
}

const char *symbols_name(const struct symbols *s, const struct symbol_range *range)
{
	return (const char *)s->names.data + range->name;
}

const char *symbols_find(const struct symbols *s, uint64_t address, uint64_t *offset)
{
	const struct symbol_range *range = symbols_range(s, address);

	if (!range)
		return NULL;
	*offset = address - symbols_start(s, range);
	return symbols_name(s, range);
}

bool symbols_address(const struct symbols *s, const char *name, uint64_t *address)
{
	for (size_t i = 0; i < s->nranges; i++) {
		if (strcmp(symbols_name(s, &s->ranges[i]), name) != 0)
			continue;
		*address = symbols_start(s, &s->ranges[i]);
		return true;
	}
	return false;
}
