/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/protobuf.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

static void add_bytes(struct message *m, const void *data, size_t len)
{
	if (m->rc == 0)
		m->rc = buf_add(&m->bytes, data, len);
}

void protobuf_varint(struct message *packed, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	add_bytes(packed, bytes, n);
}

void protobuf_uint(struct message *m, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	protobuf_varint(m, (uint64_t)field << 3 | WIRE_VARINT);
	protobuf_varint(m, value);
}

static void add_field(struct message *m, unsigned field, const void *data, size_t len)
{
	protobuf_varint(m, (uint64_t)field << 3 | WIRE_LENGTH);
	protobuf_varint(m, len);
	add_bytes(m, data, len);
}

void protobuf_text(struct message *m, unsigned field, const char *text)
{
	add_field(m, field, text, strlen(text));
}

void protobuf_message(struct message *m, unsigned field, struct message *inner)
{
	add_field(m, field, inner->bytes.data, inner->bytes.len);
	m->rc = m->rc ? m->rc : inner->rc;
	inner->bytes.len = 0;
}
