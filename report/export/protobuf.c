/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export/protobuf.h"

#include <errno.h>
#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_LENGTH = 2 };

int protobuf_varint(struct buf *packed, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	return buf_add(packed, bytes, n);
}

static int add_tag(struct buf *message, unsigned field, enum wire wire)
{
	return protobuf_varint(message, (uint64_t)field << 3 | wire);
}

int protobuf_uint(struct buf *message, unsigned field, uint64_t value)
{
	if (value == 0)
		return 0;
	return add_tag(message, field, WIRE_VARINT) == 0 ? protobuf_varint(message, value) : -ENOMEM;
}

int protobuf_bytes(struct buf *message, unsigned field, const void *data, size_t len)
{
	if (add_tag(message, field, WIRE_LENGTH) != 0 || protobuf_varint(message, len) != 0)
		return -ENOMEM;
	return buf_add(message, data, len);
}

int protobuf_text(struct buf *message, unsigned field, const char *text)
{
	return protobuf_bytes(message, field, text, strlen(text));
}

int protobuf_message(struct buf *message, unsigned field, const struct buf *inner)
{
	return protobuf_bytes(message, field, inner->data, inner->len);
}
