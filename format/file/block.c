/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/file/block.h"

#include "format/bytes/wire.h"

#define TRAILER_MAGIC "UPFend\r\n"
#define HEADER_CHECKSUM 60 /* where it is; it covers all before */

/* What LZ4 may make of incompressible bytes at worst: lz4.h, LZ4_COMPRESSBOUND. Larger cannot have been written. */
#define STORED_MAX (UPF_RAW_MAX + UPF_RAW_MAX / 255 + 16)

static uint32_t header_checksum(const uint8_t *at)
{
	return (uint32_t)checksum(at, HEADER_CHECKSUM);
}

void block_header_put(uint8_t *at, const struct block_header *h, const uint8_t *stored)
{
	const size_t covered = BLOCK_HEADER_SIZE - BLOCK_CHECKSUM_SIZE;

	memcpy(at, BLOCK_SYNC, BLOCK_SYNC_SIZE);
	at[8] = h->type;
	at[9] = h->flags;
	put_u16(at + 10, BLOCK_HEADER_SIZE);
	put_u32(at + 12, h->stored_size);
	put_u32(at + 16, h->raw_size);
	put_u32(at + 20, h->samples);
	put_u64(at + 24, h->seq);
	put_u64(at + 32, h->trace_id);
	put_u64(at + 40, h->first_ns);
	put_u64(at + 48, h->last_ns);
	put_u32(at + 56, h->lost);
	put_u32(at + HEADER_CHECKSUM, header_checksum(at));
	put_u64(at + covered, checksum2(at, covered, stored, h->stored_size));
}

enum upf_fault block_header_get(const uint8_t *at, bool v1, struct block_header *h)
{
	if (memcmp(at, BLOCK_SYNC, BLOCK_SYNC_SIZE) != 0)
		return UPF_FAULT_GAP;
	if (!v1 && peek_u32(at + HEADER_CHECKSUM) != header_checksum(at))
		return UPF_FAULT_CHECKSUM;
	*h = (struct block_header){
		.type = at[8],
		.flags = at[9],
		.header_size = peek_u16(at + 10),
		.stored_size = peek_u32(at + 12),
		.raw_size = peek_u32(at + 16),
		.samples = peek_u32(at + 20),
		.seq = peek_u64(at + 24),
		.trace_id = peek_u64(at + 32),
		.first_ns = peek_u64(at + 40),
		.last_ns = peek_u64(at + 48),
		.lost = peek_u32(at + 56),
	};
	if (h->header_size < BLOCK_HEADER_SIZE || h->header_size > BLOCK_HEADER_MAX || h->stored_size > STORED_MAX ||
	    h->raw_size > UPF_RAW_MAX || ((h->flags & BLOCK_RAW) && h->stored_size != h->raw_size))
		return UPF_FAULT_SIZE;
	return UPF_OK;
}

bool block_checksum_fits(const uint8_t *at, const struct block_header *h)
{
	size_t covered = h->header_size - BLOCK_CHECKSUM_SIZE;

	return peek_u64(at + covered) == checksum2(at, covered, at + h->header_size, h->stored_size);
}

void trailer_put(uint8_t *at, uint64_t footer_offset, uint64_t trace_id)
{
	uint8_t covered[16];

	put_u64(covered, footer_offset);
	put_u64(covered + 8, trace_id);
	put_u64(at, footer_offset);
	put_u64(at + 8, checksum(covered, sizeof(covered)));
	memcpy(at + 16, TRAILER_MAGIC, 8);
}

bool trailer_fits(const uint8_t *at, uint64_t footer_offset, uint64_t trace_id)
{
	uint8_t expected[TRAILER_SIZE];

	trailer_put(expected, footer_offset, trace_id);
	return memcmp(at, expected, TRAILER_SIZE) == 0;
}
