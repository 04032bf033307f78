/* SPDX-License-Identifier: BSD-2-Clause */
/* encoder.h - how the writer takes the payload from an encoder. */
#ifndef FORMAT_WRITE_ENCODER_H
#define FORMAT_WRITE_ENCODER_H

#include "format/write/packer.h"

struct encoded {
	uint64_t first_ns, last_ns;
	uint32_t samples, lost;
	size_t size;
};

/* Writes the block's payload to @at, which has UPF_RAW_MAX bytes. @p is NULL: every column as bytes. */
struct encoded encoder_payload(const struct upf_encoder *e, struct upf_packer *p, uint8_t *at);

#endif
