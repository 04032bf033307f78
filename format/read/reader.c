/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c - reads blocks from a file or pipe, strictly forward, in limited memory. After damage it skips to the next
 * block with a correct checksum, and reports what it skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <lz4.h>

#include "format/file/block.h"
#include "format/file/header.h"

#define CHUNK (256u << 10)

/* Bytes that may be summed up for blocks that turn out damaged: so many, and so many for each byte read. */
#define IN_VAIN_MAX (64u << 20)
#define IN_VAIN_RATIO 4

struct upf_reader {
	int fd;
	struct buf in; /* read and not yet used up; in.data[used] is next */
	size_t used;
	uint64_t offset; /* in the file, of in.data[0] */
	bool eof;

	struct header header;
	struct upf_health health;
	uint64_t next_seq;
	uint8_t *raw;
	uint64_t footer_offset;
	bool ended; /* by the trailer */
	struct upf_totals totals;
	enum upf_reason reason;
	uint64_t in_vain;       /* summed up for damaged blocks */
	struct upf_block again; /* to be given out once more */
	bool has_again;
};

/* --- bytes ------------------------------------------------------------------------------------------------------- */

static size_t left(const struct upf_reader *r)
{
	return r->in.len - r->used;
}

static const uint8_t *here(const struct upf_reader *r)
{
	return r->in.data + r->used;
}

static uint64_t file_position(const struct upf_reader *r)
{
	return r->offset + r->used;
}

static void use_up(struct upf_reader *r, size_t n)
{
	r->used += n;
}

static void drop_used(struct upf_reader *r)
{
	r->in.len -= r->used;
	memmove(r->in.data, r->in.data + r->used, r->in.len);
	r->offset += r->used;
	r->used = 0;
}

/* Reads until @n bytes are at hand or the end is reached. 0, or a negative errno. */
static int need(struct upf_reader *r, size_t n)
{
	if (left(r) >= n || r->eof)
		return 0;
	if (r->used)
		drop_used(r);
	while (r->in.len < n && !r->eof) {
		ssize_t got;
		int rc = buf_reserve(&r->in, CHUNK);

		if (rc != 0)
			return rc;
		got = read(r->fd, r->in.data + r->in.len, CHUNK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		r->eof = got == 0;
		r->in.len += (size_t)got;
	}
	return 0;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static enum upf_fault fault_of(int rc)
{
	if (rc == 0)
		return UPF_OK;
	errno = -rc;
	return rc == -ENOMEM ? UPF_FAULT_MEMORY : UPF_FAULT_IO;
}

static enum upf_fault read_block_header(struct upf_reader *r, char *detail)
{
	enum upf_fault fault = fault_of(need(r, 16));
	size_t known = left(r) < HEADER_MAGIC_SIZE ? left(r) : HEADER_MAGIC_SIZE;
	uint32_t size;

	if (fault != UPF_OK)
		return fault;
	if (left(r) == 0)
		return UPF_FAULT_EMPTY;
	if (memcmp(here(r), HEADER_MAGIC, known) != 0)
		return UPF_FAULT_MAGIC;
	if (left(r) < 16)
		return UPF_FAULT_HEADER;
	size = header_size(here(r), &fault, detail);
	if (size == 0)
		return fault;
	fault = fault_of(need(r, size));
	if (fault != UPF_OK)
		return fault;
	if (left(r) < size)
		return UPF_FAULT_HEADER;
	fault = header_get(here(r), size, &r->header, detail);
	use_up(r, size);
	return fault;
}

struct upf_reader *upf_reader_open(int fd, enum upf_fault *fault, char *detail)
{
	struct upf_reader *r = calloc(1, sizeof(*r));

	*fault = UPF_FAULT_MEMORY;
	if (!r)
		return NULL;
	r->fd = fd;
	r->raw = malloc(UPF_RAW_MAX);
	if (r->raw)
		*fault = read_block_header(r, detail);
	if (*fault == UPF_OK)
		return r;
	upf_reader_close(r);
	return NULL;
}

void upf_reader_close(struct upf_reader *r)
{
	int error = errno;

	if (!r)
		return;
	header_free(&r->header);
	buf_free(&r->in);
	free(r->raw);
	free(r);
	errno = error;
}

int upf_reader_suspend(struct upf_reader *r)
{
	const bool holds = r->has_again && r->again.payload;
	uint8_t *payload = holds ? malloc(r->again.raw_size + 1) : NULL;

	if (holds && !payload)
		return -ENOMEM;
	if (holds)
		memcpy(payload, r->again.payload, r->again.raw_size);
	r->fd = -1;
	r->offset = file_position(r);
	r->used = 0;
	buf_free(&r->in);
	free(r->raw);
	r->raw = payload;
	return 0;
}

int upf_reader_resume(struct upf_reader *r, int fd)
{
	uint8_t *raw = realloc(r->raw, UPF_RAW_MAX);

	if (!raw)
		return -ENOMEM;
	r->raw = raw;
	if (r->has_again && r->again.payload)
		r->again.payload = raw;
	if (lseek(fd, (off_t)r->offset, SEEK_SET) < 0)
		return -errno;
	r->fd = fd;
	return 0;
}

const struct upf_session *upf_reader_session(const struct upf_reader *r)
{
	return &r->header.session;
}

int upf_reader_set_build(struct upf_reader *r, const struct upf_record *rec)
{
	struct upf_domain *d = &r->header.domains[rec->domain];
	char *text = malloc(2 * (size_t)rec->registers_size + 1);

	if (!text)
		return -ENOMEM;
	put_hex(text, rec->build_id, rec->registers_size);
	d->build_id = text;
	d->build_address = rec->count;
	return 0;
}

unsigned upf_reader_major(const struct upf_reader *r)
{
	return r->header.major;
}

unsigned upf_reader_minor(const struct upf_reader *r)
{
	return r->header.minor;
}

const struct upf_health *upf_reader_health(const struct upf_reader *r)
{
	return &r->health;
}

uint64_t upf_reader_bytes(const struct upf_reader *r)
{
	return file_position(r);
}

const struct upf_totals *upf_reader_totals(const struct upf_reader *r, enum upf_reason *reason)
{
	if (!r->health.has_footer)
		return NULL;
	*reason = r->reason;
	return &r->totals;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

/*
 * Moves on to the next marker at or behind @from bytes ahead, or to the end. Whether a block follows the marker is for
 * the caller to see. 0 or a negative errno.
 */
static int skip_to_marker(struct upf_reader *r, size_t from)
{
	use_up(r, from);
	for (;;) {
		const uint8_t *at;
		size_t n;
		int rc = need(r, BLOCK_SYNC_SIZE);

		if (rc != 0)
			return rc;
		n = left(r);
		at = n >= BLOCK_SYNC_SIZE ? memmem(here(r), n, BLOCK_SYNC, BLOCK_SYNC_SIZE) : NULL;
		if (at) {
			use_up(r, (size_t)(at - here(r)));
			return 0;
		}
		/* A marker may begin in the last bytes. */
		use_up(r, r->eof ? n : n - (BLOCK_SYNC_SIZE - 1));
		if (r->eof)
			return 0;
	}
}

/* Reports @fault at the current position and skips it, @least bytes without looking. 1, or a negative errno. */
static int pass_over_bytes(struct upf_reader *r, struct upf_block *b, enum upf_fault fault, size_t least)
{
	uint64_t skipped;
	int rc;

	b->offset = file_position(r);
	b->fault = fault;
	b->payload = NULL;
	rc = skip_to_marker(r, least < left(r) ? least : left(r));
	if (rc != 0)
		return rc;
	skipped = file_position(r) - b->offset;
	r->health.damaged += fault != UPF_FAULT_GAP;
	r->health.skipped_bytes += skipped;
	if (fault == UPF_FAULT_GAP || fault == UPF_FAULT_CUT)
		b->stored_size = (uint32_t)(skipped > UINT32_MAX ? UINT32_MAX : skipped);
	return 1;
}

static int pass_block(struct upf_reader *r, struct upf_block *b, enum upf_fault fault)
{
	return pass_over_bytes(r, b, fault, 1);
}

/*
 * A block whose checksum is wrong. Bytes may be missing or too many, so the next marker may be anywhere in it. But a
 * file of forged headers would be summed up again and again: after a limit, the length is used.
 */
static int pass_over_damaged(struct upf_reader *r, struct upf_block *b, const struct block_header *h)
{
	size_t size = h->header_size + h->stored_size;

	r->in_vain += size;
	return pass_over_bytes(r, b, UPF_FAULT_CHECKSUM,
	                       r->in_vain > IN_VAIN_MAX + IN_VAIN_RATIO * file_position(r) ? size : 1);
}

static void describe(struct upf_reader *r, const struct block_header *h, struct upf_block *b)
{
	*b = (struct upf_block){
		.offset = file_position(r),
		.type = h->type,
		.v1 = r->header.major == V1_MAJOR,
		.seq = h->seq,
		.stored_size = h->stored_size,
		.raw_size = h->raw_size,
		.first_ns = h->first_ns,
		.last_ns = h->last_ns,
		.samples = h->samples,
		.lost = h->lost,
	};
}

/* A block whose checksum is correct, but which cannot be used: it is skipped as a whole. */
static int refuse_block(struct upf_reader *r, const struct block_header *h, struct upf_block *b, enum upf_fault fault)
{
	b->fault = fault;
	r->health.damaged++;
	r->health.skipped_bytes += h->header_size + h->stored_size;
	use_up(r, h->header_size + h->stored_size);
	return 1;
}

static bool expand_block(struct upf_reader *r, const struct block_header *h)
{
	const uint8_t *stored = here(r) + h->header_size;

	if (h->flags & BLOCK_RAW) {
		memcpy(r->raw, stored, h->raw_size);
		return true;
	}
	return LZ4_decompress_safe((const char *)stored, (char *)r->raw, (int)h->stored_size, (int)h->raw_size) ==
	       (int)h->raw_size;
}

static enum upf_fault judge_block(struct upf_reader *r, const struct block_header *h)
{
	if (h->trace_id != r->header.trace_id)
		return UPF_FAULT_FOREIGN;
	if (h->seq < r->next_seq)
		return UPF_FAULT_ORDER;
	if ((h->flags & BLOCK_REQUIRED) && h->type != UPF_BLOCK_SAMPLES && h->type != UPF_BLOCK_FOOTER)
		return UPF_FAULT_FEATURE;
	return expand_block(r, h) ? UPF_OK : UPF_FAULT_COMPRESSION;
}

static enum upf_fault take_footer(struct upf_reader *r, const struct block_header *h)
{
	if (footer_get(r->raw, h->raw_size, &r->totals, &r->reason) != 0)
		return UPF_FAULT_RECORD;
	r->health.has_footer = true;
	r->footer_offset = file_position(r);
	return UPF_OK;
}

static int take_block(struct upf_reader *r, const struct block_header *h, struct upf_block *b)
{
	enum upf_fault fault;

	describe(r, h, b);
	fault = judge_block(r, h);
	if (fault == UPF_OK && h->type == UPF_BLOCK_FOOTER)
		fault = take_footer(r, h);
	if (fault != UPF_FAULT_FOREIGN && fault != UPF_FAULT_ORDER) {
		r->health.missing += h->seq - r->next_seq;
		r->next_seq = h->seq + 1;
	}
	if (fault != UPF_OK)
		return refuse_block(r, h, b, fault);
	r->health.blocks++;
	b->payload = r->raw;
	use_up(r, h->header_size + h->stored_size);
	return 1;
}

/* The block is longer than what is left: cut off, unless its size was damaged and others follow. */
static int too_long(struct upf_reader *r, struct upf_block *b)
{
	size_t n = left(r) - BLOCK_SYNC_SIZE;

	if (memmem(here(r) + BLOCK_SYNC_SIZE, n, BLOCK_SYNC, BLOCK_SYNC_SIZE))
		return pass_block(r, b, UPF_FAULT_SIZE);
	r->health.cut = true;
	return pass_block(r, b, UPF_FAULT_CUT);
}

static int next_at_marker(struct upf_reader *r, struct upf_block *b)
{
	struct block_header h;
	enum upf_fault fault;
	int rc = need(r, BLOCK_HEADER_SIZE);

	if (rc != 0)
		return rc;
	if (left(r) < BLOCK_HEADER_SIZE)
		return too_long(r, b);
	fault = block_header_get(here(r), r->header.major == V1_MAJOR, &h);
	if (fault != UPF_OK)
		return pass_block(r, b, fault);
	rc = need(r, h.header_size + h.stored_size);
	if (rc != 0)
		return rc;
	if (left(r) < h.header_size + h.stored_size)
		return too_long(r, b);
	if (!block_checksum_fits(here(r), &h))
		return pass_over_damaged(r, b, &h);
	return take_block(r, &h, b);
}

void upf_reader_again(struct upf_reader *r, const struct upf_block *b)
{
	r->again = *b;
	r->has_again = true;
}

int upf_reader_next(struct upf_reader *r, struct upf_block *b)
{
	int rc;

	if (r->has_again) {
		r->has_again = false;
		*b = r->again;
		return 1;
	}
	memset(b, 0, sizeof(*b));
	rc = need(r, TRAILER_SIZE);
	if (rc != 0)
		return rc;
	if (r->health.has_footer && left(r) >= TRAILER_SIZE &&
	    trailer_fits(here(r), r->footer_offset, r->header.trace_id)) {
		use_up(r, TRAILER_SIZE);
		r->ended = true;
		rc = need(r, TRAILER_SIZE);
		if (rc != 0)
			return rc;
	}
	if (left(r) == 0) {
		r->health.cut |= r->health.has_footer && !r->ended;
		return 0;
	}
	if (left(r) >= BLOCK_SYNC_SIZE && memcmp(here(r), BLOCK_SYNC, BLOCK_SYNC_SIZE) == 0)
		return next_at_marker(r, b);
	if (left(r) < TRAILER_SIZE)
		r->health.cut = true;
	return pass_block(r, b, r->health.cut ? UPF_FAULT_CUT : UPF_FAULT_GAP);
}
