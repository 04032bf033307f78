/* SPDX-License-Identifier: BSD-2-Clause */
/* packer.h - makes stored blocks: a header, and the payload, compressed if that makes it smaller. */
#ifndef FORMAT_WRITE_PACKER_H
#define FORMAT_WRITE_PACKER_H

#include <lz4hc.h>

#include "format/file/block.h"
#include "format/samples/columns.h"

#define PACKED_MAX LZ4_COMPRESSBOUND(UPF_RAW_MAX)

/* The system gives memory only to the pages that are written. */
struct upf_packer {
	LZ4_streamHC_t *compressor;
	uint8_t raw[UPF_RAW_MAX];                       /* the payload to be packed */
	uint8_t stored[BLOCK_HEADER_SIZE + PACKED_MAX]; /* room for a block header, then the packed payload */
	uint8_t spare[PACKED_MAX];                      /* for a column in another form */
	uint64_t numbers[UPF_RAW_MAX];                  /* of a column */
};

/* Compresses to @to, which has room for PACKED_MAX bytes. The bytes used. */
size_t packer_compress(struct upf_packer *p, const uint8_t *from, size_t len, uint8_t *to);
/* Fills in the sizes and flags of @h, whose raw_size bytes are p->raw. */
void pack(struct upf_packer *p, struct block_header *h);

/*
 * Writes a block's columns to @at, behind its parameters, each in its form; @p is NULL: all as bytes. @nregs: how many
 * registers every sample that has some has in REG; 0: not all have the same number. The bytes used.
 */
size_t forms_put(struct upf_packer *p, const struct column_writer *w, uint32_t nregs, uint8_t *at);

/*
 * Writes the block's payload to @at, which has UPF_RAW_MAX bytes (encoder.c). @p is NULL: every column as bytes. The
 * header but for what pack() fills in, and the number and trace.
 */
struct block_header encoder_payload(const struct upf_encoder *e, struct upf_packer *p, uint8_t *at);

#endif
