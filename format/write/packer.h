/* SPDX-License-Identifier: BSD-2-Clause */
/* packer.h - makes stored blocks: a header, and the payload, compressed if that makes it smaller. */
#ifndef FORMAT_WRITE_PACKER_H
#define FORMAT_WRITE_PACKER_H

#include "format/file/block.h"

struct upf_packer {
	uint8_t *raw; /* the payload to be packed, UPF_RAW_MAX bytes */
	struct forms *forms;
	uint8_t *stored; /* room for a block header, then the packed payload */
};

/* Fills in the sizes and flags of @h, whose raw_size bytes are p->raw. */
void pack(struct upf_packer *p, struct block_header *h);
/* The same for an encoder's block, which must not be empty; fills in @h except sequence number and trace id. */
void pack_samples(struct upf_packer *p, struct upf_encoder *e, struct block_header *h);

#endif
