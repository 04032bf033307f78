/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/footer.h"
#include "format/file/header.h"
#include "format/write/packer.h"
#include "format/bytes/wire.h"
#include "format/write/writer.h"

struct upf_writer {
	upf_write_fn write;
	void *ctx;
	int error;
	uint64_t trace_id, seq;
	atomic_ullong bytes;
	struct upf_packer *packer;
};

static int put_out(struct upf_writer *w, const void *data, size_t len)
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
		rc = put_out(w, b.data, b.len);
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
	return put_out(w, w->packer->stored, BLOCK_HEADER_SIZE + h->stored_size);
}

int upf_writer_block(struct upf_writer *w, struct upf_encoder *e)
{
	struct block_header h;

	if (w->error != 0 || upf_encoder_empty(e))
		return w->error;
	pack_samples(w->packer, e, &h);
	return put_block(w, &h);
}

int writer_put_stored(struct upf_writer *w, const struct block_header *h, const uint8_t *stored)
{
	struct block_header own = *h;

	memcpy(w->packer->stored + BLOCK_HEADER_SIZE, stored, h->stored_size);
	return put_block(w, &own);
}

int upf_writer_data(struct upf_writer *w, uint8_t type, const void *payload, size_t len)
{
	struct block_header h = {.type = type, .raw_size = (uint32_t)len};

	if (w->error != 0)
		return w->error;
	if (len > UPF_RAW_MAX)
		return -E2BIG;
	memcpy(w->packer->raw, payload, len);
	pack(w->packer, &h);
	return put_block(w, &h);
}

int upf_writer_copy(struct upf_writer *w, const struct upf_block *b)
{
	struct block_header h = {.type = b->type,
	                         .raw_size = b->raw_size,
	                         .first_ns = b->first_ns,
	                         .last_ns = b->last_ns,
	                         .samples = (uint32_t)b->samples,
	                         .lost = (uint32_t)b->lost};

	if (w->error != 0)
		return w->error;
	memcpy(w->packer->raw, b->payload, b->raw_size);
	pack(w->packer, &h);
	return put_block(w, &h);
}

void upf_writer_skip(struct upf_writer *w, uint64_t n)
{
	w->seq += n;
}

int upf_writer_finish(struct upf_writer *w, const struct upf_totals *totals, enum upf_reason reason)
{
	struct block_header h = {
		.type = UPF_BLOCK_FOOTER, .first_ns = totals->duration_ns, .last_ns = totals->duration_ns};
	uint64_t offset = upf_writer_bytes(w);
	uint8_t trailer[TRAILER_SIZE];
	struct buf b = {0};
	int rc = footer_put(&b, totals, reason);

	if (rc == 0) {
		h.raw_size = (uint32_t)b.len;
		memcpy(w->packer->raw, b.data, b.len);
		pack(w->packer, &h);
		rc = put_block(w, &h);
	}
	buf_free(&b);
	trailer_put(trailer, offset, w->trace_id);
	return rc == 0 ? put_out(w, trailer, sizeof(trailer)) : rc;
}
