/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/entries.h"

#include <errno.h>
#include <string.h>

static int encode(struct upf_encoder *e, const struct target *t, const struct entry *i)
{
	int rc = 0;

	switch (i->kind) {
	case ENTRY_SAME:
		rc = upf_encode_same(e, i->domain, i->time_ns);
		if (rc != -ENOENT)
			break;
		/* The block has no round of this domain to repeat yet: once in full. */
		/* fall through */
	case ENTRY_ROUND:
		rc = upf_encode_round(e, i->domain, i->time_ns, i->pause_ns, t->samples, t->nsamples);
		break;
	case ENTRY_LOST:
		rc = upf_encode_lost(e, i->domain, i->time_ns, i->count, i->code);
		break;
	case ENTRY_LATE:
		rc = upf_encode_late(e, i->domain, i->time_ns, i->count);
		break;
	case ENTRY_EVENT:
		rc = upf_encode_event(e, i->domain, i->time_ns, i->code, i->count);
		break;
	}
	return rc;
}

void entries_hand_over(struct session *s)
{
	if (!queue_submit(s->queue, &s->slip))
		return;
	upf_totals_add(&s->totals, &s->slip.totals);
	memset(&s->slip, 0, sizeof(s->slip));
}

/* As entries_put(). Nothing is too large for an empty block: target.c sees to that. */
static int put_once(struct session *s, const struct entry *i)
{
	const struct target *t = s->targets[i->domain];
	struct upf_encoder *e = queue_current(s->queue);
	int rc;

	if (!e)
		return -ENOBUFS;
	rc = encode(e, t, i);
	if (rc != -ENOSPC)
		return rc;
	entries_hand_over(s);
	e = queue_current(s->queue);
	return e ? encode(e, t, i) : -ENOBUFS;
}

void entries_lose(struct session *s, uint32_t domain, uint64_t samples)
{
	s->unrecorded[domain] += samples;
	atomic_fetch_add(&s->live.lost, samples);
}

static int put_losses(struct session *s, uint32_t domain, uint64_t time_ns)
{
	struct entry loss = {ENTRY_LOST, .domain = domain, .time_ns = time_ns, .count = s->unrecorded[domain],
	                     .code = UPF_LOST_WRITER};
	int rc = loss.count ? put_once(s, &loss) : 0;

	if (rc == 0) {
		s->slip.totals.lost += s->unrecorded[domain];
		s->unrecorded[domain] = 0;
	}
	return rc;
}

int entries_put_pending(struct session *s, uint32_t domain, uint64_t time_ns)
{
	struct pending_event *e = &s->pending[domain];
	const struct entry i = {ENTRY_EVENT, .domain = domain, .time_ns = e->time_ns, .count = e->value,
	                        .code = e->code};
	int rc = put_losses(s, domain, time_ns);

	if (rc == 0 && e->code)
		rc = put_once(s, &i);
	if (rc == 0)
		e->code = 0;
	return rc;
}

int entries_put(struct session *s, const struct entry *i)
{
	int rc = entries_put_pending(s, i->domain, i->time_ns);

	return rc == 0 ? put_once(s, i) : rc;
}

void entries_event(struct session *s, uint32_t domain, uint64_t time_ns, enum upf_event_code code, uint64_t value)
{
	const struct entry i = {ENTRY_EVENT, .domain = domain, .time_ns = time_ns, .count = value, .code = code};

	if (entries_put(s, &i) != 0)
		s->pending[domain] = (struct pending_event){.time_ns = time_ns, .value = value, .code = code};
}
