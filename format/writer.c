/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <lz4.h>

#include "format/block.h"
#include "format/encoder.h"
#include "format/footer.h"
#include "format/header.h"

struct upf_writer {
	upf_write_fn write;
	void *ctx;
	int error;
	uint64_t trace_id, seq;
	atomic_ullong bytes;
	struct block_index index;
	uint8_t *raw;    /* UPF_RAW_MAX */
	uint8_t *stored; /* a block header and what LZ4 may need at most */
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
		w->raw = malloc(UPF_RAW_MAX);
		w->stored = malloc(BLOCK_HEADER_SIZE + LZ4_COMPRESSBOUND(UPF_RAW_MAX));
		rc = w->raw && w->stored ? put_header(w, session) : -ENOMEM;
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
	free(w->raw);
	free(w->stored);
	free(w);
}

uint64_t upf_writer_bytes(const struct upf_writer *w)
{
	return atomic_load(&w->bytes);
}

/* Stores w->raw behind the block header: compressed, or as it is where that is smaller. */
static void store(struct upf_writer *w, struct block_header *h)
{
	uint8_t *at = w->stored + BLOCK_HEADER_SIZE;
	int n = LZ4_compress_default((const char *)w->raw, (char *)at, (int)h->raw_size, LZ4_COMPRESSBOUND(UPF_RAW_MAX));

	if (n > 0 && (uint32_t)n < h->raw_size) {
		h->stored_size = (uint32_t)n;
		return;
	}
	h->flags |= BLOCK_RAW;
	h->stored_size = h->raw_size;
	memcpy(at, w->raw, h->raw_size);
}

static int put_block(struct upf_writer *w, struct block_header *h)
{
	h->seq = w->seq++;
	h->trace_id = w->trace_id;
	store(w, h);
	block_header_put(w->stored, h, w->stored + BLOCK_HEADER_SIZE);
	return put_out(w, w->stored, BLOCK_HEADER_SIZE + h->stored_size);
}

int upf_writer_block(struct upf_writer *w, struct upf_encoder *e)
{
	struct block_header h = {.type = UPF_BLOCK_SAMPLES};
	uint64_t offset = upf_writer_bytes(w);
	struct encoded payload;

	if (w->error != 0 || upf_encoder_empty(e))
		return w->error;
	payload = encoder_payload(e, w->raw);
	h.raw_size = (uint32_t)payload.size;
	h.first_ns = payload.first_ns;
	h.last_ns = payload.last_ns;
	h.samples = payload.samples;
	h.lost = payload.lost;
	if (put_block(w, &h) == 0)
		index_add(&w->index, offset, h.first_ns, h.samples);
	return w->error;
}

int upf_writer_finish(struct upf_writer *w, const struct upf_totals *totals, enum upf_reason reason)
{
	struct block_header h = {.type = UPF_BLOCK_FOOTER, .first_ns = totals->duration_ns, .last_ns = totals->duration_ns};
	uint64_t offset = upf_writer_bytes(w);
	uint8_t trailer[TRAILER_SIZE];
	struct buf b = {0};
	int rc = footer_put(&b, totals, reason, &w->index);

	if (rc == 0) {
		h.raw_size = (uint32_t)b.len;
		memcpy(w->raw, b.data, b.len);
		rc = put_block(w, &h);
	}
	buf_free(&b);
	trailer_put(trailer, offset, w->trace_id);
	return rc == 0 ? put_out(w, trailer, sizeof(trailer)) : rc;
}
