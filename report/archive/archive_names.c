/* SPDX-License-Identifier: BSD-2-Clause */
/* archive_names.c - makes the payloads of blocks of names. */
#include "report/archive/archive.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdlib.h>

static size_t text_len(const char *text)
{
	return strnlen(text, ARCHIVE_TEXT_MAX);
}

/* The most bytes of the payload that @r needs. */
static size_t most_bytes(const struct resolution *r)
{
	size_t n = 4 * VARINT_MAX + (r->symbol ? text_len(r->symbol) + 1 : 0);

	for (int i = 0; i < r->n; i++)
		n += 3 * VARINT_MAX + (r->frames[i].name ? text_len(r->frames[i].name) + 1 : 0) +
		     (r->frames[i].file ? text_len(r->frames[i].file) + 1 : 0);
	return n;
}

static int add_text(struct archive_names_payload *p, const char *text, size_t len, uint32_t hash)
{
	if (array_room(&p->offsets, &p->cap, p->ntexts, sizeof(*p->offsets)) != 0)
		return -ENOMEM;
	p->offsets[p->ntexts] = p->texts.len;
	buf_add(&p->texts, text, len);
	hash_table_add(&p->index, hash, (uint32_t)p->ntexts++);
	return buf_add(&p->texts, "", 1);
}

static bool is_text(const struct archive_names_payload *p, uint32_t id, const char *text, size_t len)
{
	const char *known = (const char *)p->texts.data + p->offsets[id];

	return strncmp(known, text, len) == 0 && known[len] == '\0';
}

/* Finds or adds the text. 0 or -ENOMEM. */
static int find_text(struct archive_names_payload *p, const char *text, uint32_t *id)
{
	size_t len = text_len(text);
	uint32_t hash;

	if (p->texts.failed || hash_table_reserve(&p->index) != 0)
		return -ENOMEM;
	hash = hash_table_hash_text(&p->index, text, len);
	for (size_t at = hash_table_first(&p->index, hash); hash_table_id(&p->index, &at, hash, id);
	     at = hash_table_next(&p->index, at))
		if (is_text(p, *id, text, len))
			return 0;
	*id = (uint32_t)p->ntexts;
	return add_text(p, text, len, hash);
}

/* Puts the number of @text, which may be NULL. */
static void put_text_index(struct archive_names_payload *p, const char *text)
{
	uint32_t id;

	if (text && find_text(p, text, &id) != 0)
		p->addresses.failed = true;
	else
		archive_put_number(&p->addresses, text ? p->offsets[id] + 1 : 0);
}

int archive_names_put(struct archive_names_payload *p, uint64_t address, const struct resolution *r)
{
	struct resolution some = *r;

	/* 64 inlined functions with the longest names do not fit into a block: then frames are dropped. */
	while (some.n > 1 && most_bytes(&some) > UPF_RAW_MAX / 2)
		some.n--;
	if (p->naddresses && p->texts.len + p->addresses.len + most_bytes(&some) + 3 * VARINT_MAX > UPF_RAW_MAX)
		return -ENOSPC;
	archive_put_number(&p->addresses, address - p->last);
	put_text_index(p, some.symbol);
	if (some.symbol)
		archive_put_number(&p->addresses, some.offset);
	archive_put_number(&p->addresses, (uint64_t)some.n);
	for (int i = 0; i < some.n; i++) {
		put_text_index(p, some.frames[i].name);
		put_text_index(p, some.frames[i].file);
		archive_put_number(&p->addresses, some.frames[i].line);
	}
	p->last = address;
	p->naddresses++;
	return p->addresses.failed ? -ENOMEM : 0;
}

int archive_names_finish(struct archive_names_payload *p, struct buf *out)
{
	if (p->program)
		archive_put_number(out, *p->program);
	archive_put_number(out, p->flags);
	archive_put_number(out, p->texts.len);
	buf_add(out, p->texts.data, p->texts.len);
	buf_add(out, p->addresses.data, p->addresses.len);
	p->texts.len = p->addresses.len = 0;
	p->ntexts = p->naddresses = 0;
	p->last = 0;
	hash_table_clear(&p->index);
	return out->failed ? -ENOMEM : 0;
}

void archive_names_end(struct archive_names_payload *p)
{
	buf_free(&p->texts);
	buf_free(&p->addresses);
	free(p->offsets);
	hash_table_free(&p->index);
}
