/* SPDX-License-Identifier: BSD-2-Clause */
/* block.h - the frame around every block: marker, sizes, times, checksum (FORMAT.md, "Blocks"). */
#ifndef FORMAT_FILE_BLOCK_H
#define FORMAT_FILE_BLOCK_H

#include "format/upf.h"

#define BLOCK_SYNC "\xf5UPFblk\n" /* 8 bytes; 0xf5 never stands in UTF-8 text */
#define BLOCK_SYNC_SIZE 8
#define BLOCK_HEADER_SIZE 72
#define BLOCK_HEADER_MAX 4096
#define BLOCK_CHECKSUM_SIZE 8 /* the last bytes of the header, over all before and the stored bytes */

#define BLOCK_REQUIRED 0x01 /* a reader that does not know the type must give up */
#define BLOCK_RAW 0x02      /* stored as it is: compression would not have made it smaller */

struct block_header {
	uint8_t type, flags;
	uint16_t header_size;
	uint32_t stored_size, raw_size, samples, lost;
	uint64_t seq, trace_id, first_ns, last_ns;
};

/* Writes BLOCK_HEADER_SIZE bytes, the checksum over @stored included. */
void block_header_put(uint8_t *at, const struct block_header *h, const uint8_t *stored);
/*
 * @at has at least BLOCK_HEADER_SIZE bytes; @v1: of a trace of version 1, where headers have no checksum of their own.
 * UPF_OK, UPF_FAULT_GAP (no marker), UPF_FAULT_CHECKSUM or UPF_FAULT_SIZE (impossible sizes).
 */
enum upf_fault block_header_get(const uint8_t *at, bool v1, struct block_header *h);
/* @at: header and stored bytes in one piece. */
bool block_checksum_fits(const uint8_t *at, const struct block_header *h);

/* --- the end of a complete trace (FORMAT.md, "Trailer") --- */
#define TRAILER_SIZE 24
void trailer_put(uint8_t *at, uint64_t footer_offset, uint64_t trace_id);
/* Is this the trailer of that trace? */
bool trailer_fits(const uint8_t *at, uint64_t footer_offset, uint64_t trace_id);

#endif
