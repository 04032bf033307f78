/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/isa/disassembly.h"
#include "report/fold/extents.h"

#include <errno.h>

void extents_free(struct extents *e)
{
	hash_array_free(&e->by_function);
	hash_array_free(&e->symbols);
}

/* --- one line ---------------------------------------------------------------------------------------------------- */

const struct extent *extents_find(const struct extents *e, uint32_t function, const char *file)
{
	uint32_t id;

	return hash_array_find(&e->by_function, &id, function, &(struct extent){file, function}) ? &e->of[id] : NULL;
}

static int add_extent_line(struct extents *e, const struct name_at *at, uint64_t address)
{
	struct extent *x;
	uint32_t id;
	int rc;

	if (!at->file || at->line == 0)
		return 0;
	rc = hash_array_add(&e->by_function, &id, function,
	                    &(struct extent){at->file, at->function, at->line, at->line, address, address});
	if (rc != 0)
		return rc;
	x = &e->of[id];
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
		rc = add_extent_line(e, &name.at, address);
	for (uint32_t i = 0; rc == 0 && i < name.ninlined; i++)
		rc = add_extent_line(e, &symbolizer_inlined(names, &name)[i], address);
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

int extents_add(struct extents *e, const struct binaries *b, struct symbolizer *names, uint32_t program,
                uint64_t address)
{
	uint64_t start;
	const struct isa *isa;
	size_t size;
	const uint8_t *code = program_function(&b->programs[program], address, &start, &size, &isa);
	int rc = code ? hash_array_meet(&e->symbols, program, &(struct extent_symbol){start, program}) : 1;

	if (rc != 0)
		return rc < 0 ? rc : 0;
	return add_code(e, names, program, isa, code, size, start);
}
