/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/binary/disassembly.h"
#include "report/fold/extents.h"

#include <errno.h>
#include <stdlib.h>

void extents_free(struct extents *e)
{
	free(e->of);
	free(e->symbols);
	hash_table_free(&e->index);
	hash_table_free(&e->by_symbol);
	*e = (struct extents){0};
}

/* --- one line ---------------------------------------------------------------------------------------------------- */

/* The index of the extent, or e->n. */
static size_t find(const struct extents *e, uint32_t function, const char *file, uint32_t hash)
{
	uint32_t id;

	for (size_t at = hash_table_first(&e->index, hash); hash_table_id(&e->index, &at, hash, &id);
	     at = hash_table_next(&e->index, at))
		if (e->of[id].function == function && e->of[id].file == file)
			return id;
	return e->n;
}

const struct extent *extents_find(const struct extents *e, uint32_t function, const char *file)
{
	size_t i = e->n ? find(e, function, file, hash_table_hash(&e->index, function, (uintptr_t)file)) : 0;

	return i < e->n ? &e->of[i] : NULL;
}

static int add_line(struct extents *e, const struct name_at *at, uint64_t address)
{
	struct extent *x;
	uint32_t hash;
	size_t i;

	if (!at->file || at->line == 0)
		return 0;
	if (hash_table_reserve(&e->index) != 0 || array_room(&e->of, &e->cap, e->n, sizeof(*e->of)) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&e->index, at->function, (uintptr_t)at->file);
	i = find(e, at->function, at->file, hash);
	x = &e->of[i];
	if (i == e->n) {
		*x = (struct extent){at->function, at->file, at->line, at->line, address, address};
		hash_table_add(&e->index, hash, (uint32_t)e->n++);
	}
	if (at->line < x->first) {
		x->first = at->line;
		x->first_at = address;
	}
	if (at->line > x->last) {
		x->last = at->line;
		x->last_at = address;
	}
	return 0;
}

/* --- a symbol's code --------------------------------------------------------------------------------------------- */

/* Of the function whose code it is, and of those inlined there. */
static int add_instruction(struct extents *e, struct symbolizer *names, uint32_t program, uint64_t address)
{
	struct frame_name name;
	int rc = symbolizer_find(names, program, address, false, &name);

	if (rc == 0)
		rc = add_line(e, &name.at, address);
	for (uint32_t i = 0; rc == 0 && i < name.ninlined; i++)
		rc = add_line(e, &symbolizer_inlined(names, &name)[i], address);
	return rc;
}

static int add_code(struct extents *e, struct symbolizer *names, uint32_t program, const struct isa *isa,
                    const uint8_t *code, size_t size, uint64_t start)
{
	struct disassembly *d = disassembly_new(isa);
	int rc = 0;

	if (!d)
		return errno == ENOTSUP ? 0 : -ENOMEM;
	for (size_t at = 0; rc == 0 && at < size;) {
		rc = add_instruction(e, names, program, start + at);
		at += disassembly_at(d, code + at, size - at, start + at).size;
	}
	disassembly_free(d);
	return rc;
}

/* 1: this one was met before; 0: now it is. */
static int met(struct extents *e, uint32_t program, uint64_t start)
{
	uint32_t hash, id;

	if (hash_table_reserve(&e->by_symbol) != 0 ||
	    array_room(&e->symbols, &e->symbols_cap, e->nsymbols, sizeof(*e->symbols)) != 0)
		return -ENOMEM;
	hash = hash_table_hash(&e->by_symbol, start, program);
	for (size_t at = hash_table_first(&e->by_symbol, hash); hash_table_id(&e->by_symbol, &at, hash, &id);
	     at = hash_table_next(&e->by_symbol, at))
		if (e->symbols[id].start == start && e->symbols[id].program == program)
			return 1;
	e->symbols[e->nsymbols] = (struct extent_symbol){start, program};
	hash_table_add(&e->by_symbol, hash, (uint32_t)e->nsymbols++);
	return 0;
}

int extents_add(struct extents *e, const struct binaries *b, struct symbolizer *names, uint32_t program,
                uint64_t address)
{
	uint64_t start;
	const struct isa *isa;
	size_t size;
	const uint8_t *code = program_function(&b->programs[program], address, &start, &size, &isa);
	int rc = code ? met(e, program, start) : 1;

	if (rc != 0)
		return rc < 0 ? rc : 0;
	return add_code(e, names, program, isa, code, size, start);
}
