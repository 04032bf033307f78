/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/flight_recorder.h"

#include <errno.h>
#include <stdlib.h>

struct kept_block {
	struct kept_block *next;
	struct upf_kept *block;
};

struct flight_recorder {
	uint64_t max_bytes, max_ns;
	uint64_t bytes;
	struct upf_packer *packer;
	struct kept_block *oldest, *newest;
};

struct flight_recorder *flight_recorder_new(uint64_t bytes, uint64_t ns)
{
	struct flight_recorder *r = calloc(1, sizeof(*r));

	if (r) {
		r->max_bytes = bytes;
		r->max_ns = ns;
		r->packer = upf_packer_new();
	}
	if (r && r->packer)
		return r;
	flight_recorder_free(r);
	errno = ENOMEM;
	return NULL;
}

static size_t kept_size(const struct kept_block *e)
{
	return sizeof(*e) + upf_kept_size(e->block);
}

static void drop_oldest(struct flight_recorder *r)
{
	struct kept_block *e = r->oldest;

	r->bytes -= kept_size(e);
	r->oldest = e->next;
	if (!r->oldest)
		r->newest = NULL;
	free(e->block);
	free(e);
}

void flight_recorder_free(struct flight_recorder *r)
{
	if (!r)
		return;
	while (r->oldest)
		drop_oldest(r);
	upf_packer_free(r->packer);
	free(r);
}

/* True: the newer blocks alone cover the time limit. */
static bool is_oldest_expired(const struct flight_recorder *r)
{
	return r->max_ns && r->oldest != r->newest &&
	       upf_kept_first_ns(r->oldest->next->block) + r->max_ns <= upf_kept_last_ns(r->newest->block);
}

int flight_recorder_add(struct flight_recorder *r, struct upf_encoder *e, const struct upf_totals *totals)
{
	struct kept_block *kept = calloc(1, sizeof(*kept));

	if (kept)
		kept->block = upf_keep(r->packer, e, totals);
	if (!kept || !kept->block) {
		free(kept);
		return -ENOMEM;
	}
	if (r->newest)
		r->newest->next = kept;
	else
		r->oldest = kept;
	r->newest = kept;
	r->bytes += kept_size(kept);
	while (r->oldest != r->newest && (r->bytes > r->max_bytes || is_oldest_expired(r)))
		drop_oldest(r);
	return 0;
}

/* Rounded down to a tick, because a block's first time need not be one. */
uint64_t flight_recorder_first_ns(const struct flight_recorder *r)
{
	uint64_t ns = r->oldest ? upf_kept_first_ns(r->oldest->block) : 0;

	return ns - ns % UPF_TICK_NS;
}

int flight_recorder_write(const struct flight_recorder *r, struct upf_writer *w, struct upf_totals *totals)
{
	int rc = 0;

	for (const struct kept_block *e = r->oldest; rc == 0 && e; e = e->next)
		rc = upf_writer_put(w, e->block, flight_recorder_first_ns(r), totals);
	return rc;
}
