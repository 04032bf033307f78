/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/archive/archive_code.h"
#include "format/upf.h"
#include "format/bytes/wire.h"
#include "common/array.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

/* What a function needs beside its bytes in the payload; each may split another symbol's range. */
#define FUNCTION_MEMORY (sizeof(struct archive_function) + sizeof(struct symbol) + 2 * sizeof(struct symbol_range))

struct archive_function {
	uint64_t start;
	const uint8_t *code;
	size_t size;
	const struct isa *isa; /* NULL: not known */
};

/* --- reading ----------------------------------------------------------------------------------------------------- */

void archive_code_free(struct archive_code *c)
{
	for (size_t i = 0; i < c->nchunks; i++)
		free(c->chunks[i]);
	free(c->chunks);
	free(c->functions);
	*c = (struct archive_code){0};
}

int archive_take(size_t *left, size_t n)
{
	if (n > *left)
		return -EBADMSG;
	*left -= n;
	return 0;
}

const uint8_t *archive_code_keep(struct archive_code *c, const uint8_t *bytes, size_t n)
{
	uint8_t *chunk = malloc(n + 1);

	if (!chunk || array_add(c->chunks, c->chunks_cap, c->nchunks, chunk) != 0) {
		free(chunk);
		return NULL;
	}
	return memcpy(chunk, bytes, n);
}

/* The function behind *start, which is of @isa, or of ARM's other one. */
static int get_function(struct archive_code *c, struct symbols *symbols, struct cursor *from, const struct isa *isa,
                        uint64_t *start)
{
	struct symbol symbol = {.bind = SYMBOL_GLOBAL};
	struct archive_function function;
	uint64_t name_len, code_len;
	const uint8_t *name;
	bool t32;

	*start += get_varint(from);
	t32 = isa == &isa_arm && (*start & 1);
	function.isa = t32 ? &isa_t32 : isa;
	symbol.start = function.start = *start - t32;
	symbol.size = get_varint(from);
	name_len = get_varint(from);
	name = name_len <= cursor_left(from) ? get_bytes(from, (size_t)name_len) : NULL;
	code_len = get_varint(from);
	function.code = code_len <= cursor_left(from) ? get_bytes(from, (size_t)code_len) : NULL;
	function.size = (size_t)code_len;
	if (from->bad || !name || !function.code || code_len > symbol.size || symbol.size == 0 ||
	    symbol.size > UINT64_MAX - symbol.start)
		return -EBADMSG;
	if (symbols_add(symbols, symbol, (const char *)name, strnlen((const char *)name, (size_t)name_len)) != 0)
		return -ENOMEM;
	return array_add(c->functions, c->cap, c->n, function);
}

int archive_code_add(struct archive_code *c, struct symbols *symbols, const uint8_t *payload, size_t len, size_t *left)
{
	const uint8_t *chunk = archive_code_keep(c, payload, len); /* which the functions' code stays in */
	const struct isa *isa;
	struct cursor from;
	uint64_t start = 0;
	int rc = 0;

	if (!chunk)
		return -ENOMEM;
	from = cursor_of(chunk, len);
	isa = isa_of_machine(get_u16(&from));
	while (rc == 0 && cursor_left(&from)) {
		rc = archive_take(left, FUNCTION_MEMORY);
		if (rc == 0)
			rc = get_function(c, symbols, &from, isa, &start);
	}
	return rc == 0 && from.bad ? -EBADMSG : rc;
}

static int compare_code(const void *va, const void *vb)
{
	const struct archive_function *a = va, *b = vb;

	return array_compare(a->start, b->start);
}

void archive_code_sort(struct archive_code *c)
{
	array_sort(c->functions, c->n, sizeof(*c->functions), compare_code);
}

const uint8_t *archive_code_at(const struct archive_code *c, uint64_t start, size_t *size, const struct isa **isa)
{
	const struct archive_function key = {.start = start};
	const struct archive_function *f = c->n ? bsearch(&key, c->functions, c->n, sizeof(key), compare_code) : NULL;

	if (!f || f->size == 0)
		return NULL;
	*size = f->size;
	*isa = f->isa;
	return f->code;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

void archive_put_number(struct buf *b, uint64_t number)
{
	uint8_t bytes[VARINT_MAX];

	buf_add(b, bytes, put_varint(bytes, number));
}

int archive_code_put(struct archive_code_payload *p, const struct archive_code_function *f)
{
	const uint16_t machine = f->ncode && f->isa ? f->isa->machine : EM_NONE;
	const uint64_t start = f->start + (f->ncode && f->isa == &isa_t32);
	size_t len = strnlen(f->name, ARCHIVE_TEXT_MAX);

	if (p->functions.len + 5 * VARINT_MAX + len + f->ncode + 2 > UPF_RAW_MAX ||
	    (f->ncode && p->has_code && p->machine != machine))
		return -ENOSPC;
	archive_put_number(&p->functions, start - p->last);
	archive_put_number(&p->functions, f->size);
	archive_put_number(&p->functions, len);
	buf_add(&p->functions, f->name, len);
	archive_put_number(&p->functions, f->ncode);
	p->last = start;
	if (f->ncode) {
		p->has_code = true;
		p->machine = machine;
	}
	return buf_add(&p->functions, f->code, f->ncode);
}

int archive_code_finish(struct archive_code_payload *p, struct buf *out)
{
	uint8_t machine[2];

	if (p->program)
		archive_put_number(out, *p->program);
	put_u16(machine, p->machine);
	buf_add(out, machine, sizeof(machine));
	buf_add(out, p->functions.data, p->functions.len);
	p->functions.len = 0;
	p->last = 0;
	p->machine = EM_NONE;
	p->has_code = false;
	return out->failed ? -ENOMEM : 0;
}

void archive_code_end(struct archive_code_payload *p)
{
	buf_free(&p->functions);
}
