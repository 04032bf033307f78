/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/flight_recorder.h"

#include <errno.h>
#include <stdlib.h>

struct entry {
	struct entry *next;
	struct upf_kept *block;
};

struct flight_recorder {
	uint64_t most_bytes, most_ns;
	uint64_t bytes;
	struct upf_packer *packer;
	struct entry *oldest, *newest;
};

struct flight_recorder *flight_recorder_new(uint64_t bytes, uint64_t ns)
{
	struct flight_recorder *r = calloc(1, sizeof(*r));

	if (r) {
		r->most_bytes = bytes;
		r->most_ns = ns;
		r->packer = upf_packer_new();
	}
	if (r && r->packer)
		return r;
	flight_recorder_free(r);
	errno = ENOMEM;
	return NULL;
}

static size_t size_of(const struct entry *e)
{
	return sizeof(*e) + upf_kept_size(e->block);
}

static void drop_oldest(struct flight_recorder *r)
{
	struct entry *e = r->oldest;

	r->bytes -= size_of(e);
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

/* Is the time asked for covered without the oldest block? */
static bool is_too_old(const struct flight_recorder *r)
{
	return r->most_ns && r->oldest != r->newest &&
	       upf_kept_first_ns(r->oldest->next->block) + r->most_ns <= upf_kept_last_ns(r->newest->block);
}

int flight_recorder_add(struct flight_recorder *r, struct upf_encoder *e, const struct upf_totals *totals)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (entry)
		entry->block = upf_keep(r->packer, e, totals);
	if (!entry || !entry->block) {
		free(entry);
		return -ENOMEM;
	}
	if (r->newest)
		r->newest->next = entry;
	else
		r->oldest = entry;
	r->newest = entry;
	r->bytes += size_of(entry);
	while (r->oldest != r->newest && (r->bytes > r->most_bytes || is_too_old(r)))
		drop_oldest(r);
	return 0;
}

/* Whole ticks: a block's first time may be any. */
uint64_t flight_recorder_first_ns(const struct flight_recorder *r)
{
	uint64_t ns = r->oldest ? upf_kept_first_ns(r->oldest->block) : 0;

	return ns - ns % UPF_TICK_NS;
}

uint64_t flight_recorder_last_ns(const struct flight_recorder *r)
{
	return r->newest ? upf_kept_last_ns(r->newest->block) : 0;
}

int flight_recorder_put(const struct flight_recorder *r, struct upf_writer *w, struct upf_totals *totals)
{
	int rc = 0;

	for (const struct entry *e = r->oldest; rc == 0 && e; e = e->next)
		rc = upf_writer_put(w, e->block, flight_recorder_first_ns(r), totals);
	return rc;
}
