/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist.c - totals and the pause histogram in them (FORMAT.md, "Histogram"): below 32 ns a bucket a nanosecond, above
 * that 16 to each power of two.
 */
#include "format/upf.h"

static unsigned hist_bucket(uint64_t ns)
{
	unsigned shift, bucket;

	if (ns < 32)
		return (unsigned)ns;
	shift = 59 - (unsigned)__builtin_clzll(ns);
	bucket = shift * 16 + (unsigned)(ns >> shift);
	return bucket < UPF_HIST_BUCKETS ? bucket : UPF_HIST_BUCKETS - 1;
}

/* The highest value that falls into the bucket. */
static uint64_t top_of(unsigned bucket)
{
	unsigned shift;

	if (bucket < 32)
		return bucket;
	shift = bucket / 16 - 1;
	return ((uint64_t)(bucket % 16 + 17) << shift) - 1;
}

void upf_hist_add(struct upf_hist *h, uint64_t ns)
{
	h->count++;
	h->sum_ns += ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->bucket[hist_bucket(ns)]++;
}

void upf_hist_merge(struct upf_hist *h, const struct upf_hist *other)
{
	h->count += other->count;
	h->sum_ns += other->sum_ns;
	if (other->max_ns > h->max_ns)
		h->max_ns = other->max_ns;
	for (unsigned i = 0; i < UPF_HIST_BUCKETS; i++)
		h->bucket[i] += other->bucket[i];
}

uint64_t upf_hist_quantile(const struct upf_hist *h, unsigned permille)
{
	/* The smallest value with at least that share at or below it. */
	uint64_t rank = (uint64_t)(((unsigned __int128)h->count * permille + 999) / 1000), seen = 0;

	for (unsigned i = 0; i < UPF_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank && seen > 0) {
			uint64_t top = top_of(i);

			return i == UPF_HIST_BUCKETS - 1 || top > h->max_ns ? h->max_ns : top;
		}
	}
	return 0;
}

uint64_t upf_hist_above(const struct upf_hist *h, uint64_t ns)
{
	uint64_t n = 0;

	for (unsigned i = hist_bucket(ns) + 1; i < UPF_HIST_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}

void upf_totals_add(struct upf_totals *t, const struct upf_totals *more)
{
	t->rounds += more->rounds;
	t->pauses += more->pauses;
	t->samples += more->samples;
	t->lost += more->lost;
	t->late += more->late;
	t->duration_ns += more->duration_ns;
	upf_hist_merge(&t->pause, &more->pause);
}
