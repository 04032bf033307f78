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
	if (buf_add(&p->texts, text, len) != 0 || buf_add(&p->texts, "", 1) != 0)
		return -ENOMEM;
	hash_table_add(&p->index, hash, (uint32_t)p->ntexts++);
	return 0;
}

static bool is_text(const struct archive_names_payload *p, uint32_t id, const char *text, size_t len)
{
	const char *known = (const char *)p->texts.data + p->offsets[id];

	return strncmp(known, text, len) == 0 && known[len] == '\0';
}

/* Puts the number of @text, which may be NULL. */
static int put_text_index(struct archive_names_payload *p, const char *text)
{
	size_t len = text ? text_len(text) : 0;
	uint32_t hash, id;

	if (!text)
		return archive_put_number(&p->addresses, 0);
	if (hash_table_reserve(&p->index) != 0)
		return -ENOMEM;
	hash = hash_table_hash_text(&p->index, text, len);
	for (size_t at = hash_table_first(&p->index, hash); hash_table_id(&p->index, &at, hash, &id);
	     at = hash_table_next(&p->index, at))
		if (is_text(p, id, text, len))
			return archive_put_number(&p->addresses, p->offsets[id] + 1);
	if (add_text(p, text, len, hash) != 0)
		return -ENOMEM;
	return archive_put_number(&p->addresses, p->offsets[p->ntexts - 1] + 1);
}

static int put_archive_frame(struct archive_names_payload *p, const struct line_frame *frame)
{
	int rc = put_text_index(p, frame->name);

	if (rc == 0)
		rc = put_text_index(p, frame->file);
	return rc == 0 ? archive_put_number(&p->addresses, frame->line) : rc;
}

int archive_names_put(struct archive_names_payload *p, uint64_t address, const struct resolution *r)
{
	struct resolution some = *r;
	int rc;

	/* 64 inlined functions with the longest names do not fit into a block: then frames are dropped. */
	while (some.n > 1 && most_bytes(&some) > UPF_RAW_MAX / 2)
		some.n--;
	if (p->naddresses && p->texts.len + p->addresses.len + most_bytes(&some) + 3 * VARINT_MAX > UPF_RAW_MAX)
		return -ENOSPC;
	rc = archive_put_number(&p->addresses, address - p->last);
	if (rc == 0)
		rc = put_text_index(p, some.symbol);
	if (rc == 0 && some.symbol)
		rc = archive_put_number(&p->addresses, some.offset);
	if (rc == 0)
		rc = archive_put_number(&p->addresses, (uint64_t)some.n);
	for (int i = 0; rc == 0 && i < some.n; i++)
		rc = put_archive_frame(p, &some.frames[i]);
	p->last = address;
	p->naddresses++;
	return rc;
}

int archive_names_finish(struct archive_names_payload *p, struct buf *out)
{
	int rc = p->program ? archive_put_number(out, *p->program) : 0;

	if (rc == 0)
		rc = archive_put_number(out, p->flags);
	if (rc == 0)
		rc = archive_put_number(out, p->texts.len);
	if (rc == 0)
		rc = buf_add(out, p->texts.data, p->texts.len);
	if (rc == 0)
		rc = buf_add(out, p->addresses.data, p->addresses.len);
	p->texts.len = p->addresses.len = 0;
	p->ntexts = p->naddresses = 0;
	p->last = 0;
	hash_table_clear(&p->index);
	return rc;
}

void archive_names_end(struct archive_names_payload *p)
{
	buf_free(&p->texts);
	buf_free(&p->addresses);
	free(p->offsets);
	hash_table_free(&p->index);
}
