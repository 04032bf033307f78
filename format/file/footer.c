/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/file/footer.h"

#include <errno.h>

#include "format/file/header.h"
#include "format/bytes/wire.h"

enum footer_tag {
	FOOTER_TOTALS = 1,
	FOOTER_HISTOGRAM = 2,
	FOOTER_REASON = 3,
	FOOTER_INDEX = 4,
};

void index_add(struct block_index *x, uint64_t offset, uint64_t first_ns, uint64_t samples)
{
	if (x->stride == 0)
		x->stride = 1;
	if (x->blocks++ % x->stride != 0) {
		x->entry[x->n - 1].samples += samples;
		return;
	}
	if (x->n == INDEX_MAX) {
		for (size_t i = 0; i < INDEX_MAX / 2; i++) {
			x->entry[i] = x->entry[2 * i];
			x->entry[i].samples += x->entry[2 * i + 1].samples;
		}
		x->n = INDEX_MAX / 2;
		x->stride *= 2;
	}
	x->entry[x->n++] = (struct index_entry){offset, first_ns, samples};
}

static int put_varints(struct buf *b, const uint64_t *values, size_t n)
{
	int rc = buf_reserve(b, n * VARINT_MAX);

	for (size_t i = 0; rc == 0 && i < n; i++)
		b->len += put_varint(b->data + b->len, values[i]);
	return rc;
}

static int put_histogram(struct buf *b, const struct upf_hist *h)
{
	const uint64_t head[] = {h->count, h->sum_ns, h->max_ns};
	uint64_t last = 0;
	int rc = put_varints(b, head, 3);

	for (uint64_t i = 0; rc == 0 && i < UPF_HIST_BUCKETS; i++) {
		const uint64_t pair[] = {i - last, h->bucket[i]};

		if (!h->bucket[i])
			continue;
		rc = put_varints(b, pair, 2);
		last = i;
	}
	return rc;
}

static int put_index(struct buf *b, const struct block_index *x)
{
	const uint64_t head[] = {x->stride, x->n};
	uint64_t offset = 0, first = 0;
	int rc = put_varints(b, head, 2);

	for (size_t i = 0; rc == 0 && i < x->n; i++) {
		const struct index_entry *e = &x->entry[i];
		const uint64_t values[] = {e->offset - offset, zigzag((int64_t)(e->first_ns / UPF_TICK_NS - first)),
		                           e->samples};

		rc = put_varints(b, values, 3);
		offset = e->offset;
		first = e->first_ns / UPF_TICK_NS;
	}
	return rc;
}

/* Closes a value built in @value: adds it under its tag and empties it. */
static int put_value(struct buf *b, uint16_t tag, struct buf *value, int rc)
{
	if (rc == 0)
		rc = tag_put(b, tag, value->data, value->len);
	value->len = 0;
	return rc;
}

int footer_put(struct buf *b, const struct upf_totals *t, enum upf_reason reason, const struct block_index *x)
{
	const uint64_t totals[] = {t->rounds, t->pauses, t->samples, t->lost, t->late, t->duration_ns};
	const uint64_t why[] = {(uint64_t)reason};
	struct buf value = {0};
	int rc;

	rc = put_value(b, FOOTER_TOTALS, &value, put_varints(&value, totals, 6));
	rc = rc ? rc : put_value(b, FOOTER_HISTOGRAM, &value, put_histogram(&value, &t->pause));
	rc = rc ? rc : put_value(b, FOOTER_REASON, &value, put_varints(&value, why, 1));
	rc = rc ? rc : put_value(b, FOOTER_INDEX, &value, put_index(&value, x));
	buf_free(&value);
	return rc;
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

static void check_index(struct cursor *v)
{
	uint64_t n;

	get_varint(v); /* stride */
	n = get_varint(v);
	for (uint64_t i = 0; !v->bad && i < n; i++)
		for (int k = 0; k < 3; k++)
			get_varint(v);
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
		case FOOTER_INDEX:
			check_index(&v);
			break;
		default:
			break;
		}
		bad |= v.bad;
	}
	return bad || c.bad ? -EBADMSG : 0;
}
