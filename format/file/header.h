/* SPDX-License-Identifier: BSD-2-Clause */
/* header.h - the header of a trace (FORMAT.md, "File header"), its footer, and tagged values. */
#ifndef FORMAT_FILE_HEADER_H
#define FORMAT_FILE_HEADER_H

#include "common/array.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

#define HEADER_MAGIC "\x89UPF\r\n\x1a\n" /* survives no text-mode transfer unnoticed */
#define HEADER_MAGIC_SIZE 8
#define V1_MAJOR 1      /* which is read, too */
#define HEADER_FIXED 32 /* bytes before the tagged values */
#define HEADER_MAX (1u << 20)
#define TAG_REQUIRED 0x8000 /* a reader that does not know the tag must give up */

/* Tagged values: u16 tag, u32 length, bytes. */
void tag_put(struct buf *b, uint16_t tag, const void *value, size_t len);
/* Reads the next one from @c into *tag and *value; false at the end, or if it is damaged (c->bad is set). */
bool tag_get(struct cursor *c, uint16_t *tag, struct cursor *value);

int header_put(struct buf *b, const struct upf_session *s); /* 0, -ENOMEM; -E2BIG: longer than HEADER_MAX */

/* A session that owns its strings and domains. */
struct header {
	struct upf_session session;
	struct upf_domain *domains;
	size_t domain_room;
	uint16_t major, minor;
	uint64_t trace_id; /* which every block repeats */
};
/* Size of the whole header from its first 16 bytes, 0 and *fault if they are none. @detail: see upf_reader_open(). */
uint32_t header_size(const uint8_t *at, enum upf_fault *fault, char *detail);
enum upf_fault header_get(const uint8_t *at, uint32_t size, struct header *h, char *detail);
void header_free(struct header *h);

/* The block that completes a trace: totals, histogram, reason (FORMAT.md, "Footer"; footer.c). */
int footer_put(struct buf *b, const struct upf_totals *t, enum upf_reason reason);             /* 0 or -ENOMEM */
int footer_get(const uint8_t *at, size_t size, struct upf_totals *t, enum upf_reason *reason); /* 0 or -EBADMSG */

#endif
