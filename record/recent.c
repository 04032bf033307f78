/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recent.h"

#include <errno.h>
#include <stdlib.h>

struct entry {
	struct entry *next;
	struct upf_kept *block;
};

struct recent {
	uint64_t most_bytes, most_ns;
	uint64_t bytes;
	struct upf_packer *packer;
	struct entry *oldest, *newest;
};

struct recent *recent_new(uint64_t bytes, uint64_t ns)
{
	struct recent *r = calloc(1, sizeof(*r));

	if (r) {
		r->most_bytes = bytes;
		r->most_ns = ns;
		r->packer = upf_packer_new();
	}
	if (r && r->packer)
		return r;
	recent_free(r);
	errno = ENOMEM;
	return NULL;
}

static size_t size_of(const struct entry *e)
{
	return sizeof(*e) + upf_kept_size(e->block);
}

static void drop_oldest(struct recent *r)
{
	struct entry *e = r->oldest;

	r->bytes -= size_of(e);
	r->oldest = e->next;
	if (!r->oldest)
		r->newest = NULL;
	free(e->block);
	free(e);
}

void recent_free(struct recent *r)
{
	if (!r)
		return;
	while (r->oldest)
		drop_oldest(r);
	upf_packer_free(r->packer);
	free(r);
}

/* Is the time asked for covered without the oldest block? */
static bool is_too_old(const struct recent *r)
{
	return r->most_ns && r->oldest != r->newest &&
	       upf_kept_first_ns(r->oldest->next->block) + r->most_ns <= upf_kept_last_ns(r->newest->block);
}

int recent_add(struct recent *r, struct upf_encoder *e, const struct upf_totals *totals)
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
uint64_t recent_first_ns(const struct recent *r)
{
	uint64_t ns = r->oldest ? upf_kept_first_ns(r->oldest->block) : 0;

	return ns - ns % UPF_TICK_NS;
}

uint64_t recent_last_ns(const struct recent *r)
{
	return r->newest ? upf_kept_last_ns(r->newest->block) : 0;
}

int recent_put(const struct recent *r, struct upf_writer *w, struct upf_totals *totals)
{
	int rc = 0;

	for (const struct entry *e = r->oldest; rc == 0 && e; e = e->next)
		rc = upf_writer_put(w, e->block, recent_first_ns(r), totals);
	return rc;
}
