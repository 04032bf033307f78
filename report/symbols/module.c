/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/symbols/module.h"

#include "format/bytes/wire.h"
#include "common/array.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL sizeof(Elf64_Sym)

struct function {
	const char *name;
	size_t len;
	uint64_t address; /* in the guest, or in its section */
	uint16_t section;
};

struct functions {
	struct function *of;
	size_t n, cap;
};

struct place {
	bool known;
	uint64_t address;
};

struct module {
	struct image_section table, strings; /* .symtab, .strtab */
	struct place *places;                /* by section; nplaces of them */
	size_t nplaces;
};

static const uint8_t *symbol_at(const struct module *m, size_t i)
{
	return m->table.data + i * SYMBOL;
}

static uint16_t symbol_section(const uint8_t *symbol)
{
	return peek_u16(symbol + offsetof(Elf64_Sym, st_shndx));
}

static uint64_t symbol_value(const uint8_t *symbol)
{
	return peek_u64(symbol + offsetof(Elf64_Sym, st_value));
}

/* --- the module's functions, twice ------------------------------------------------------------------------------- */

/* As the file has them. */
static int list_own(const struct module *m, struct functions *f)
{
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < m->table.size / SYMBOL; i++) {
		const uint8_t *symbol = symbol_at(m, i);
		uint32_t at = peek_u32(symbol);
		uint16_t section = symbol_section(symbol);
		const char *name = (const char *)m->strings.data + at;
		size_t len = at < m->strings.size ? strnlen(name, m->strings.size - at) : 0;

		if (ELF64_ST_TYPE(symbol[offsetof(Elf64_Sym, st_info)]) == STT_FUNC && section != SHN_UNDEF &&
		    section < m->nplaces && len != 0 && at + len < m->strings.size)
			rc = array_add(f->of, f->cap, f->n,
			               (struct function){name, len, symbol_value(symbol), section});
	}
	return rc;
}

/* As the guest has them: "name [module]". */
static int list_guests(const struct symbols *s, const char *module, struct functions *f)
{
	size_t tail = strlen(module) + 3;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->nranges; i++) {
		const struct symbol_range *range = &s->ranges[i];
		const char *name = symbols_name(s, range);
		size_t len = strlen(name);

		if (range->start == range->symbol_start && len > tail && name[len - 1] == ']' &&
		    strncmp(name + len - tail, " [", 2) == 0 && strncmp(name + len - tail + 2, module, tail - 3) == 0)
			rc = array_add(f->of, f->cap, f->n,
			               (struct function){name, len - tail, symbols_start(s, range), 0});
	}
	return rc;
}

static int compare_functions(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;
	int order = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);

	return order != 0 ? order : array_compare(a->len, b->len);
}

/* Static functions may share a name: those tell nothing. */
static void keep_unique(struct functions *f)
{
	size_t kept = 0;

	array_sort(f->of, f->n, sizeof(*f->of), compare_functions);
	for (size_t i = 0, next; i < f->n; i = next) {
		for (next = i + 1; next < f->n && compare_functions(&f->of[i], &f->of[next]) == 0; next++)
			;
		if (next == i + 1)
			f->of[kept++] = f->of[i];
	}
	f->n = kept;
}

/* --- places ------------------------------------------------------------------------------------------------------ */

/*
 * Every function that both have tells where its section begins, and all of a section must tell the same. 0, -ENOENT,
 * -EPROTO.
 */
static int place_sections(struct module *m, const struct functions *own, const struct functions *guests)
{
	int rc = -ENOENT;

	for (size_t i = 0, k = 0; i < own->n && k < guests->n;) {
		int order = compare_functions(&own->of[i], &guests->of[k]);
		struct place *p = &m->places[own->of[i].section];
		uint64_t address;

		if (order != 0) {
			order < 0 ? i++ : k++;
			continue;
		}
		address = guests->of[k++].address - own->of[i++].address;
		if (p->known && p->address != address)
			return -EPROTO;
		*p = (struct place){true, address};
		rc = 0;
	}
	return rc;
}

static int place_all(struct module *m, const struct symbols *symbols, const char *name)
{
	struct functions own = {0}, guests = {0};
	int rc = list_own(m, &own);

	if (rc == 0)
		rc = list_guests(symbols, name, &guests);
	keep_unique(&own);
	keep_unique(&guests);
	if (rc == 0)
		rc = place_sections(m, &own, &guests);
	free(own.of);
	free(guests.of);
	return rc;
}

/* Its name among the strings of .modinfo. NULL: no module. */
static const char *module_name(struct image *image)
{
	struct image_section s;
	size_t at = 0;

	if (!image_section(image, ".modinfo", &s) || s.data[s.size - 1] != '\0')
		return NULL;
	for (; at < s.size; at += strlen((const char *)s.data + at) + 1)
		if (strncmp((const char *)s.data + at, "name=", 5) == 0)
			return (const char *)s.data + at + 5;
	return NULL;
}

static void explain_module(int rc, const char *name, char *why, size_t size)
{
	if (rc == -ENOENT)
		snprintf(why, size,
		         "no function of module %.64s has an address: a copy of /proc/kallsyms is needed, made "
		         "while it is loaded",
		         name);
	else if (rc == -EPROTO)
		snprintf(why, size,
		         "another build of module %.64s than the guest's: its functions do not lie as kallsyms says",
		         name);
	else
		snprintf(why, size, "%s", strerror(-rc));
}

struct module *module_place(struct image *image, const struct symbols *symbols, char *why, size_t size)
{
	const char *name = module_name(image);
	struct module *m = calloc(1, sizeof(*m));
	int rc = -ENOMEM;

	if (!name || !m || !image_section(image, ".symtab", &m->table) ||
	    !image_section(image, ".strtab", &m->strings)) {
		snprintf(why, size, "a relocatable object, and no module of Linux with its symbols");
		module_free(m);
		return NULL;
	}
	m->nplaces = SHN_LORESERVE;
	m->places = calloc(m->nplaces, sizeof(*m->places));
	if (m->places)
		rc = place_all(m, symbols, name);
	if (rc == 0)
		return m;
	explain_module(rc, name, why, size);
	module_free(m);
	return NULL;
}

void module_free(struct module *m)
{
	if (m)
		free(m->places);
	free(m);
}

bool module_address(const struct module *m, uint32_t symbol, uint64_t *address)
{
	const uint8_t *at;
	uint16_t section;

	if (symbol >= m->table.size / SYMBOL)
		return false;
	at = symbol_at(m, symbol);
	section = symbol_section(at);
	if (section >= m->nplaces || !m->places[section].known)
		return false;
	*address = m->places[section].address + symbol_value(at);
	return true;
}
