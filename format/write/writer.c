/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/header.h"
#include "format/write/packer.h"
#include "format/bytes/wire.h"

struct upf_writer {
	upf_write_fn write;
	void *ctx;
	int error;
	uint64_t trace_id, seq;
	atomic_ullong bytes;
	struct upf_packer *packer;
};

static int write_bytes(struct upf_writer *w, const void *data, size_t len)
{
	if (w->error == 0)
		w->error = w->write(w->ctx, data, len);
	if (w->error == 0)
		atomic_fetch_add(&w->bytes, len);
	return w->error;
}

static int put_header(struct upf_writer *w, const struct upf_session *session)
{
	struct buf b = {0};
	int rc = header_put(&b, session);

	if (rc == 0)
		rc = write_bytes(w, b.data, b.len);
	buf_free(&b);
	return rc;
}

struct upf_writer *upf_writer_new(const struct upf_session *session, upf_write_fn write, void *ctx)
{
	struct upf_writer *w = calloc(1, sizeof(*w));
	int rc = -ENOMEM;

	if (w) {
		w->write = write;
		w->ctx = ctx;
		w->trace_id = peek_u64(session->trace_id);
		w->packer = upf_packer_new();
		rc = w->packer ? put_header(w, session) : -ENOMEM;
	}
	if (rc != 0) {
		upf_writer_free(w);
		errno = -rc;
		return NULL;
	}
	return w;
}

void upf_writer_free(struct upf_writer *w)
{
	if (!w)
		return;
	upf_packer_free(w->packer);
	free(w);
}

uint64_t upf_writer_bytes(const struct upf_writer *w)
{
	return atomic_load(&w->bytes);
}

/* The block whose bytes stand in the packer, behind the room for @h. */
static int put_block(struct upf_writer *w, struct block_header *h)
{
	h->seq = w->seq++;
	h->trace_id = w->trace_id;
	block_header_put(w->packer->stored, h, w->packer->stored + BLOCK_HEADER_SIZE);
	return write_bytes(w, w->packer->stored, BLOCK_HEADER_SIZE + h->stored_size);
}

/* Packs an encoder's block, which must not be empty; fills in @h except sequence number and trace id. */
static void pack_samples(struct upf_packer *p, struct upf_encoder *e, struct block_header *h)
{
	*h = encoder_payload(e, p, p->raw);
	pack(p, h);
}

int upf_writer_block(struct upf_writer *w, struct upf_encoder *e)
{
	struct block_header h;

	if (w->error != 0 || upf_encoder_empty(e))
		return w->error;
	pack_samples(w->packer, e, &h);
	return put_block(w, &h);
}

/* A block with @len bytes of payload. */
static int put_payload(struct upf_writer *w, struct block_header h, const void *payload, size_t len)
{
	if (w->error != 0)
		return w->error;
	if (len > UPF_RAW_MAX)
		return -E2BIG;
	h.raw_size = (uint32_t)len;
	memcpy(w->packer->raw, payload, len);
	pack(w->packer, &h);
	return put_block(w, &h);
}

int upf_writer_data(struct upf_writer *w, uint8_t type, const void *payload, size_t len)
{
	return put_payload(w, (struct block_header){.type = type}, payload, len);
}

int upf_writer_copy(struct upf_writer *w, const struct upf_block *b)
{
	const struct block_header h = {.type = b->type,
	                               .first_ns = b->first_ns,
	                               .last_ns = b->last_ns,
	                               .samples = (uint32_t)b->samples,
	                               .lost = (uint32_t)b->lost};

	return put_payload(w, h, b->payload, b->raw_size);
}

void upf_writer_skip(struct upf_writer *w, uint64_t n)
{
	w->seq += n;
}

int upf_writer_finish(struct upf_writer *w, const struct upf_totals *totals, enum upf_reason reason)
{
	const struct block_header h = {
		.type = UPF_BLOCK_FOOTER, .first_ns = totals->duration_ns, .last_ns = totals->duration_ns};
	uint64_t offset = upf_writer_bytes(w);
	uint8_t trailer[TRAILER_SIZE];
	struct buf b = {0};
	int rc = footer_put(&b, totals, reason);

	if (rc == 0)
		rc = put_payload(w, h, b.data, b.len);
	buf_free(&b);
	trailer_put(trailer, offset, w->trace_id);
	return rc == 0 ? write_bytes(w, trailer, sizeof(trailer)) : rc;
}

/* --- blocks in memory -------------------------------------------------------------------------------------------- */

struct upf_kept {
	struct block_header header;
	size_t totals_size;
	uint8_t bytes[]; /* header.stored_size, then totals_size */
};

struct upf_kept *upf_keep(struct upf_packer *p, struct upf_encoder *e, const struct upf_totals *totals)
{
	struct buf coded = {0};
	struct block_header h;
	struct upf_kept *k = NULL;

	pack_samples(p, e, &h);
	if (footer_put(&coded, totals, UPF_REASON_UNKNOWN) == 0)
		k = malloc(sizeof(*k) + h.stored_size + coded.len);
	if (k) {
		k->header = h;
		k->totals_size = coded.len;
		memcpy(k->bytes, p->stored + BLOCK_HEADER_SIZE, h.stored_size);
		memcpy(k->bytes + h.stored_size, coded.data, coded.len);
	}
	buf_free(&coded);
	if (!k)
		errno = ENOMEM;
	return k;
}

size_t upf_kept_size(const struct upf_kept *k)
{
	return sizeof(*k) + k->header.stored_size + k->totals_size;
}

uint64_t upf_kept_first_ns(const struct upf_kept *k)
{
	return k->header.first_ns;
}

uint64_t upf_kept_last_ns(const struct upf_kept *k)
{
	return k->header.last_ns;
}

int upf_writer_put(struct upf_writer *w, const struct upf_kept *k, uint64_t earlier_ns, struct upf_totals *totals)
{
	struct block_header h = k->header;
	struct upf_totals part;
	enum upf_reason reason;
	int rc = footer_get(k->bytes + h.stored_size, k->totals_size, &part, &reason);

	if (rc != 0)
		return rc;
	h.first_ns -= earlier_ns;
	h.last_ns -= earlier_ns;
	memcpy(w->packer->stored + BLOCK_HEADER_SIZE, k->bytes, h.stored_size);
	rc = put_block(w, &h);
	if (rc == 0)
		upf_totals_add(totals, &part);
	return rc;
}
