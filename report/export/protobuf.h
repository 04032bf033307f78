/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * protobuf.h - the little of protocol buffers' encoding that is needed to write messages: integers as varints, texts
 * and inner messages by length (protobuf.dev, "Encoding"). A message is a buffer; a field of value 0 is left out, as
 * proto3 has it.
 *
 * Each function adds one field, and returns 0 or -ENOMEM.
 */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include "common/buf.h"

int protobuf_uint(struct buf *message, unsigned field, uint64_t value);
int protobuf_bytes(struct buf *message, unsigned field, const void *data, size_t len);
int protobuf_text(struct buf *message, unsigned field, const char *text);
int protobuf_message(struct buf *message, unsigned field, const struct buf *inner);
/* A number alone, as packed fields have them one after the other. */
int protobuf_varint(struct buf *packed, uint64_t value);

#endif
