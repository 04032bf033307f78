/* SPDX-License-Identifier: BSD-2-Clause */
/* encoder.h - what the writer takes out of a full encoder. */
#ifndef FORMAT_ENCODER_H
#define FORMAT_ENCODER_H

#include "format/upf.h"

struct encoded {
	uint64_t first_ns, last_ns;
	uint32_t samples, lost;
	size_t size;
};

/* The block's payload into @at, which has UPF_RAW_MAX bytes. */
struct encoded encoder_payload(const struct upf_encoder *e, uint8_t *at);

#endif
