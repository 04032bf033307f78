/* SPDX-License-Identifier: BSD-2-Clause */
/* packer.h - blocks as they are stored: header, and payload compressed where that makes it smaller. */
#ifndef FORMAT_PACKER_H
#define FORMAT_PACKER_H

#include "format/block.h"

struct upf_packer {
	uint8_t *raw;    /* UPF_RAW_MAX: what is to be packed */
	uint8_t *stored; /* room for a block header, then what was packed */
};

/* Fills in the sizes and flags of @h, whose raw_size bytes are p->raw. */
void pack(struct upf_packer *p, struct block_header *h);
/* The same of an encoder's block, which must not be empty; fills in all of @h but sequence number and trace id. */
void pack_samples(struct upf_packer *p, struct upf_encoder *e, struct block_header *h);

#endif
