/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * protobuf.h - writes messages of protocol buffers (protobuf.dev, "Encoding"): integers as varints, texts and inner
 * messages with their length. Fields of value 0 are omitted, as in proto3. Each function adds one field; if memory is
 * missing, message.rc says so, and nothing is added any more.
 */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include "common/array.h"

/* Zero-initialise, buf_free() of @bytes at the end. */
struct message {
	struct buf bytes;
	int rc; /* 0, or -ENOMEM, its own or that of an inner message */
};

void protobuf_uint(struct message *m, unsigned field, uint64_t value);
void protobuf_text(struct message *m, unsigned field, const char *text);
/* Empties @inner for the next one. */
void protobuf_message(struct message *m, unsigned field, struct message *inner);
/* A number alone, as packed fields have them one after the other. */
void protobuf_varint(struct message *packed, uint64_t value);

#endif
