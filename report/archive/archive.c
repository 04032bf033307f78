/* SPDX-License-Identifier: BSD-2-Clause */
/* archive.c - reads an archive's names from its blocks, and finds them by address. */
#include "report/archive/archive.h"
#include "common/array.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdlib.h>

struct known {
	uint64_t address, offset;
	const char *symbol;
	size_t first; /* of its frames */
	int n;
};

struct archive {
	struct known *addresses;
	size_t naddresses, addresses_cap;
	struct line_frame *frames;
	size_t nframes, frames_cap;
	unsigned flags;
	bool any;
	struct archive_code code; /* it keeps the texts, too */
};

struct archive *archive_new(void)
{
	return calloc(1, sizeof(struct archive));
}

void archive_free(struct archive *a)
{
	if (!a)
		return;
	archive_code_free(&a->code);
	free(a->addresses);
	free(a->frames);
	free(a);
}

bool archive_any(const struct archive *a)
{
	return a->any;
}

unsigned archive_flags(const struct archive *a)
{
	return a->flags;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* The texts of a block; a text's number is its offset, plus 1. */
struct texts {
	const char *data;
	uint64_t size;
};

/* Does each of the texts end, and is none too long? */
static bool are_texts(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *nul;

	for (; data < end; data = nul + 1) {
		nul = memchr(data, '\0', (size_t)(end - data));
		if (!nul || nul - data > (ptrdiff_t)ARCHIVE_TEXT_MAX)
			return false;
	}
	return true;
}

static int get_texts(struct archive *a, struct cursor *c, struct texts *texts)
{
	const uint8_t *from;

	texts->size = get_varint(c);
	from = texts->size <= cursor_left(c) ? get_bytes(c, (size_t)texts->size) : NULL;
	if (!from || !are_texts(from, (size_t)texts->size))
		return -EBADMSG;
	texts->data = (const char *)archive_code_keep(&a->code, from, (size_t)texts->size);
	return texts->data ? 0 : -ENOMEM;
}

/* NULL for 0, or if there is no such text: then the cursor is bad. */
static const char *get_text(struct cursor *c, const struct texts *texts)
{
	uint64_t at = get_varint(c);

	c->bad |= at > texts->size || (at > 1 && texts->data[at - 2] != '\0');
	return at && !c->bad ? texts->data + at - 1 : NULL;
}

static int get_frame(struct archive *a, struct cursor *c, const struct texts *texts)
{
	struct line_frame frame = {0};
	uint64_t line;

	frame.name = get_text(c, texts);
	frame.file = get_text(c, texts);
	line = get_varint(c);
	frame.line = (uint32_t)line;
	if (c->bad || line > UINT32_MAX)
		return -EBADMSG;
	return array_add(a->frames, a->frames_cap, a->nframes, frame);
}

static int get_address(struct archive *a, struct cursor *c, const struct texts *texts, uint64_t *address, size_t *left)
{
	struct known known = {.first = a->nframes};
	uint64_t n;
	int rc = 0;

	known.address = *address += get_varint(c);
	known.symbol = get_text(c, texts);
	known.offset = known.symbol ? get_varint(c) : 0;
	n = get_varint(c);
	if (c->bad || n > LINES_DEPTH_MAX)
		return -EBADMSG;
	rc = archive_take(left, sizeof(known) + n * sizeof(*a->frames));
	for (uint64_t i = 0; rc == 0 && i < n; i++)
		rc = get_frame(a, c, texts);
	known.n = (int)n;
	return rc == 0 ? array_add(a->addresses, a->addresses_cap, a->naddresses, known) : rc;
}

static int add_names(struct archive *a, const struct upf_block *b, size_t *left)
{
	struct cursor c = cursor_of(b->payload, b->raw_size);
	uint64_t address = 0;
	struct texts texts;
	int rc;

	a->any = true;
	a->flags |= (unsigned)get_varint(&c);
	rc = get_texts(a, &c, &texts);
	while (rc == 0 && cursor_left(&c))
		rc = get_address(a, &c, &texts, &address, left);
	return rc;
}

int archive_program(struct upf_block *b, uint64_t *program)
{
	struct cursor c = cursor_of(b->payload, b->raw_size);

	*program = get_varint(&c);
	if (c.bad)
		return -EBADMSG;
	b->raw_size = (uint32_t)cursor_left(&c);
	b->payload = get_bytes(&c, b->raw_size);
	return 0;
}

int archive_add(struct archive *a, struct symbols *symbols, const struct upf_block *b, size_t *left)
{
	int rc = archive_take(left, b->raw_size);

	if (rc != 0)
		return rc;
	if (b->type == UPF_BLOCK_CODE)
		return archive_code_add(&a->code, symbols, b->payload, b->raw_size, left);
	return add_names(a, b, left);
}

/* --- looking up -------------------------------------------------------------------------------------------------- */

/* Equal addresses in the order in which they were added, which is that of their frames. */
static int compare_kept_addresses(const void *va, const void *vb)
{
	const struct known *a = va, *b = vb;

	return a->address != b->address ? array_compare(a->address, b->address) : array_compare(a->first, b->first);
}

void archive_sort(struct archive *a)
{
	array_sort(a->addresses, a->naddresses, sizeof(*a->addresses), compare_kept_addresses);
	archive_code_sort(&a->code);
}

bool archive_find(const struct archive *a, uint64_t address, struct resolution *out)
{
	const struct known *known;
	size_t low;

	ARRAY_SEARCH(low, a->naddresses, a->addresses[low].address < address);
	if (low == a->naddresses || a->addresses[low].address != address)
		return false;
	known = &a->addresses[low];
	out->symbol = known->symbol;
	out->offset = known->offset;
	out->n = known->n;
	if (known->n)
		memcpy(out->frames, a->frames + known->first, (size_t)known->n * sizeof(*out->frames));
	return true;
}

const uint8_t *archive_code(const struct archive *a, uint64_t start, size_t *left, const struct isa **isa)
{
	return archive_code_at(&a->code, start, left, isa);
}
