/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/record_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 8 /* that a domain may have waiting; more replace the newest one */

struct unrecorded {
	uint64_t lost; /* samples */
	struct record events[EVENTS_MAX];
	unsigned nevents;
};

int record_stream_init(struct record_stream *r, size_t ndomains)
{
	*r = (struct record_stream){.ndomains = ndomains, .unrecorded = calloc(ndomains, sizeof(*r->unrecorded))};
	return r->unrecorded ? 0 : -ENOMEM;
}

void record_stream_release(struct record_stream *r)
{
	free(r->unrecorded);
	r->unrecorded = NULL;
}

static int encode(struct upf_encoder *e, const struct upf_schedule *due, const struct record *r)
{
	int rc;

	if (upf_encoder_empty(e))
		upf_encoder_schedule(e, due);

	switch (r->kind) {
	case RECORD_SAME:
		rc = upf_encode_same(e, r->domain, r->time_ns);
		if (rc != -ENOENT)
			return rc;
		/* The block has no round of this domain to repeat yet: write it in full. */
		/* fall through */
	case RECORD_ROUND:
		return upf_encode_round(e, r->domain, r->time_ns, r->pause_ns, r->samples, r->nsamples);
	case RECORD_LOST:
		return upf_encode_lost(e, r->domain, r->time_ns, r->count, r->code);
	case RECORD_LATE:
		return upf_encode_late(e, r->domain, r->time_ns, r->count);
	case RECORD_EVENT:
		return upf_encode_event(e, r->domain, r->time_ns, r->code, r->count);
	case RECORD_ENTRY:
		return upf_encode_entry(e, r->domain, r->time_ns, r->code, r->count);
	case RECORD_BUILD:
		return upf_encode_build(e, r->domain, r->time_ns, r->count, r->build_id, r->build_id_size);
	}
	return 0;
}

void record_stream_submit(struct record_stream *r)
{
	if (!queue_submit(r->queue, &r->block))
		return;
	upf_totals_add(&r->totals, &r->block.totals);
	memset(&r->block, 0, sizeof(r->block));
}

/* Into the current block, or the next one if that is full. Every record fits into an empty block: see target.c. */
static int put_once(struct record_stream *r, const struct record *record)
{
	struct upf_encoder *e = queue_current(r->queue);
	int rc;

	if (!e)
		return -ENOBUFS;
	rc = encode(e, &r->due, record);
	if (rc != -ENOSPC)
		return rc;
	record_stream_submit(r);
	e = queue_current(r->queue);
	return e ? encode(e, &r->due, record) : -ENOBUFS;
}

static int put_lost_record(struct record_stream *r, uint32_t domain, uint64_t time_ns)
{
	struct unrecorded *u = &r->unrecorded[domain];
	const struct record lost = {RECORD_LOST, .domain = domain, .time_ns = time_ns, .count = u->lost,
	                            .code = UPF_LOST_WRITER};
	int rc = u->lost ? put_once(r, &lost) : 0;

	if (rc == 0) {
		r->block.totals.lost += u->lost;
		u->lost = 0;
	}
	return rc;
}

static int put_events(struct record_stream *r, uint32_t domain)
{
	struct unrecorded *u = &r->unrecorded[domain];
	unsigned done = 0;
	int rc = 0;

	while (rc == 0 && done < u->nevents) {
		rc = put_once(r, &u->events[done]);
		done += rc == 0;
	}
	u->nevents -= done;
	memmove(u->events, u->events + done, u->nevents * sizeof(*u->events));
	return rc;
}

int record_stream_retry(struct record_stream *r, uint32_t domain, uint64_t time_ns)
{
	int rc = put_lost_record(r, domain, time_ns);

	return rc == 0 ? put_events(r, domain) : rc;
}

int record_stream_put(struct record_stream *r, const struct record *record)
{
	int rc = record_stream_retry(r, record->domain, record->time_ns);

	return rc == 0 ? put_once(r, record) : rc;
}

void record_stream_event(struct record_stream *r, uint32_t domain, uint64_t time_ns, enum upf_event_code code,
                         uint64_t value)
{
	const struct record event = {RECORD_EVENT, .domain = domain, .time_ns = time_ns, .count = value, .code = code};
	struct unrecorded *u = &r->unrecorded[domain];

	if (record_stream_put(r, &event) == 0)
		return;
	if (u->nevents == EVENTS_MAX)
		u->nevents--;
	u->events[u->nevents++] = event;
}

void record_stream_lose(struct record_stream *r, uint32_t domain, uint64_t samples)
{
	r->unrecorded[domain].lost += samples;
}

/* Deadlines are those of all domains: they are recorded once, with the first. */
void record_stream_late(struct record_stream *r, uint64_t time_ns, uint64_t missed)
{
	struct record late = {RECORD_LATE, .time_ns = time_ns};

	r->late += missed;
	late.count = r->late;
	if (late.count == 0 || record_stream_put(r, &late) != 0)
		return;
	r->block.totals.late += late.count;
	r->late = 0;
}

bool record_stream_settled(const struct record_stream *r)
{
	bool settled = r->late == 0 && queue_current(r->queue) != NULL;

	for (size_t d = 0; d < r->ndomains; d++)
		settled &= r->unrecorded[d].lost == 0 && r->unrecorded[d].nevents == 0;
	return settled;
}
