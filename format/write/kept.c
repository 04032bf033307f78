/* SPDX-License-Identifier: BSD-2-Clause */
/* kept.c - blocks in memory: the stored bytes, and behind them their totals, coded as a footer has them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/footer.h"
#include "format/write/packer.h"
#include "format/write/writer.h"

struct upf_kept {
	struct block_header header;
	size_t totals_size;
	uint8_t bytes[]; /* header.stored_size, then totals_size */
};

struct upf_kept *upf_keep(struct upf_packer *p, struct upf_encoder *e, const struct upf_totals *totals)
{
	struct buf coded = {0};
	struct block_header h;
	struct upf_kept *k = NULL;

	pack_samples(p, e, &h);
	if (footer_put(&coded, totals, UPF_REASON_UNKNOWN) == 0)
		k = malloc(sizeof(*k) + h.stored_size + coded.len);
	if (k) {
		k->header = h;
		k->totals_size = coded.len;
		memcpy(k->bytes, p->stored + BLOCK_HEADER_SIZE, h.stored_size);
		memcpy(k->bytes + h.stored_size, coded.data, coded.len);
	}
	buf_free(&coded);
	if (!k)
		errno = ENOMEM;
	return k;
}

size_t upf_kept_size(const struct upf_kept *k)
{
	return sizeof(*k) + k->header.stored_size + k->totals_size;
}

uint64_t upf_kept_first_ns(const struct upf_kept *k)
{
	return k->header.first_ns;
}

uint64_t upf_kept_last_ns(const struct upf_kept *k)
{
	return k->header.last_ns;
}

int upf_writer_put(struct upf_writer *w, const struct upf_kept *k, uint64_t earlier_ns, struct upf_totals *totals)
{
	struct block_header h = k->header;
	struct upf_totals part;
	enum upf_reason reason;
	int rc = footer_get(k->bytes + h.stored_size, k->totals_size, &part, &reason);

	if (rc != 0)
		return rc;
	h.first_ns -= earlier_ns;
	h.last_ns -= earlier_ns;
	rc = writer_put_stored(w, &h, k->bytes);
	if (rc == 0)
		upf_totals_add(totals, &part);
	return rc;
}
