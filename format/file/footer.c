/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>

#include "format/file/header.h"
#include "format/bytes/wire.h"

#define HISTOGRAM_MAX (3 + 2 * UPF_HIST_BUCKETS) /* numbers */

enum footer_tag {
	FOOTER_TOTALS = 1,
	FOOTER_HISTOGRAM = 2,
	FOOTER_REASON = 3,
};

static void put_footer_values(struct buf *b, uint16_t tag, const uint64_t *values, size_t n)
{
	uint8_t bytes[HISTOGRAM_MAX * VARINT_MAX];
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += put_varint(bytes + len, values[i]);
	tag_put(b, tag, bytes, len);
}

static void put_histogram(struct buf *b, const struct upf_hist *h)
{
	uint64_t values[HISTOGRAM_MAX] = {h->count, h->sum_ns, h->max_ns}, last = 0;
	size_t n = 3;

	for (uint64_t i = 0; i < UPF_HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		values[n++] = i - last;
		values[n++] = h->bucket[i];
		last = i;
	}
	put_footer_values(b, FOOTER_HISTOGRAM, values, n);
}

int footer_put(struct buf *b, const struct upf_totals *t, enum upf_reason reason)
{
	const uint64_t totals[] = {t->rounds, t->pauses, t->samples, t->lost, t->late, t->duration_ns}, why = reason;

	put_footer_values(b, FOOTER_TOTALS, totals, 6);
	put_histogram(b, &t->pause);
	put_footer_values(b, FOOTER_REASON, &why, 1);
	return b->failed ? -ENOMEM : 0;
}

static void get_totals(struct cursor *v, struct upf_totals *t)
{
	t->rounds = get_varint(v);
	t->pauses = get_varint(v);
	t->samples = get_varint(v);
	t->lost = get_varint(v);
	t->late = get_varint(v);
	t->duration_ns = get_varint(v);
}

static void get_histogram(struct cursor *v, struct upf_hist *h)
{
	uint64_t bucket = 0, counted = 0;

	h->count = get_varint(v);
	h->sum_ns = get_varint(v);
	h->max_ns = get_varint(v);
	while (!v->bad && cursor_left(v)) {
		uint64_t step = get_varint(v), n = get_varint(v);

		if (step >= UPF_HIST_BUCKETS || bucket + step >= UPF_HIST_BUCKETS) {
			v->bad = true;
			return;
		}
		bucket += step;
		h->bucket[bucket] += n;
		counted += n;
	}
	v->bad |= counted != h->count;
}

int footer_get(const uint8_t *at, size_t size, struct upf_totals *t, enum upf_reason *reason)
{
	struct cursor c = cursor_of(at, size), v;
	uint16_t tag;
	bool bad = false;

	memset(t, 0, sizeof(*t));
	*reason = UPF_REASON_UNKNOWN;
	while (tag_get(&c, &tag, &v)) {
		switch (tag) {
		case FOOTER_TOTALS:
			get_totals(&v, t);
			break;
		case FOOTER_HISTOGRAM:
			get_histogram(&v, &t->pause);
			break;
		case FOOTER_REASON:
			*reason = (enum upf_reason)(get_varint(&v) & 0xff);
			break;
		default:
			break;
		}
		bad |= v.bad;
	}
	return bad || c.bad ? -EBADMSG : 0;
}
