/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/build_note.h"

#include <errno.h>
#include <string.h>

void build_note_put(struct column_writer *columns, uint32_t domain, uint64_t address, const uint8_t *id, size_t size)
{
	struct column_buffer *ext = &columns->column[COLUMN_EXT];
	uint8_t item[BUILD_NOTE_MAX];
	size_t n = put_varint(item, domain);

	n += put_varint(item + n, address);
	n += put_varint(item + n, size);
	memcpy(item + n, id, size);
	n += size;
	add_varint(columns, COLUMN_EXT, n);
	memcpy(ext->data + ext->len, item, n);
	ext->len += n;
}

int build_note_get(struct cursor *ext, struct upf_record *r)
{
	uint64_t length = get_varint(ext), domain, size;
	const uint8_t *at = get_bytes(ext, length);
	struct cursor item;

	if (!at)
		return -EBADMSG;
	item = cursor_of(at, length);
	domain = get_varint(&item);
	r->count = get_varint(&item);
	size = get_varint(&item);
	if (item.bad || domain >= UPF_DOMAINS_MAX || size < UPF_BUILD_ID_MIN || size > UPF_BUILD_ID_MAX)
		return -EBADMSG;
	r->domain = (uint32_t)domain;
	r->registers_size = (uint32_t)size;
	r->build_id = get_bytes(&item, size);
	return item.bad ? -EBADMSG : 0;
}
