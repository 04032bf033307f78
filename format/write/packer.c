/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/write/packer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>

#include "format/write/encoder.h"

struct upf_packer *upf_packer_new(void)
{
	struct upf_packer *p = calloc(1, sizeof(*p));

	if (p) {
		p->raw = malloc(UPF_RAW_MAX);
		p->forms = forms_new();
		p->stored = malloc(BLOCK_HEADER_SIZE + LZ4_COMPRESSBOUND(UPF_RAW_MAX));
	}
	if (p && p->raw && p->forms && p->stored)
		return p;
	upf_packer_free(p);
	errno = ENOMEM;
	return NULL;
}

void upf_packer_free(struct upf_packer *p)
{
	if (!p)
		return;
	free(p->raw);
	forms_free(p->forms);
	free(p->stored);
	free(p);
}

void pack(struct upf_packer *p, struct block_header *h)
{
	uint8_t *at = p->stored + BLOCK_HEADER_SIZE;
	size_t n = forms_compress(p->forms, p->raw, h->raw_size, at, LZ4_COMPRESSBOUND(UPF_RAW_MAX));

	if (n > 0 && n < h->raw_size) {
		h->stored_size = (uint32_t)n;
		return;
	}
	h->flags |= BLOCK_RAW;
	h->stored_size = h->raw_size;
	memcpy(at, p->raw, h->raw_size);
}

void pack_samples(struct upf_packer *p, struct upf_encoder *e, struct block_header *h)
{
	struct encoded payload = encoder_payload(e, p->forms, p->raw);

	*h = (struct block_header){
		.type = UPF_BLOCK_SAMPLES,
		.raw_size = (uint32_t)payload.size,
		.first_ns = payload.first_ns,
		.last_ns = payload.last_ns,
		.samples = payload.samples,
		.lost = payload.lost,
	};
	pack(p, h);
}
