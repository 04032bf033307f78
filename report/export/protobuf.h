/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * protobuf.h - writes messages of protocol buffers (protobuf.dev, "Encoding"): integers as varints, texts and inner
 * messages with their length. A message is a buffer. Fields of value 0 are omitted, as in proto3.
 *
 * Each function adds one field, and returns 0 or -ENOMEM.
 */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include "common/array.h"

int protobuf_uint(struct buf *message, unsigned field, uint64_t value);
int protobuf_bytes(struct buf *message, unsigned field, const void *data, size_t len);
int protobuf_text(struct buf *message, unsigned field, const char *text);
int protobuf_message(struct buf *message, unsigned field, const struct buf *inner);
/* A number alone, as packed fields have them one after the other. */
int protobuf_varint(struct buf *packed, uint64_t value);

#endif
