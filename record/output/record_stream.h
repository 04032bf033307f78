/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_stream.h - the records of the sampling thread on their way into blocks. It never waits: what finds no free
 * block is counted as lost, and that count is recorded first as soon as there is one.
 */
#ifndef RECORD_OUTPUT_RECORD_STREAM_H
#define RECORD_OUTPUT_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/upf.h"
#include "record/output/queue.h"

struct record {
	enum { RECORD_ROUND, RECORD_SAME, RECORD_LOST, RECORD_LATE, RECORD_EVENT, RECORD_ENTRY, RECORD_BUILD } kind;
	uint32_t domain; /* its index in the trace */
	uint64_t time_ns, pause_ns;
	uint64_t count; /* LOST: samples; LATE: deadlines; EVENT: its value; ENTRY, BUILD: the address */
	unsigned code;  /* LOST: enum upf_lost; EVENT: enum upf_event_code; ENTRY: the vCPU */
	const struct upf_sample *samples; /* ROUND, SAME: those of the round, nsamples of them */
	size_t nsamples;
	const uint8_t *build_id; /* BUILD: @build_id_size bytes */
	size_t build_id_size;
};

struct unrecorded; /* what a domain has waiting for a free block */

/* Init and release it; the other fields may be read, and @block changed, by the sampling thread. */
struct record_stream {
	struct queue *queue;      /* set it before the first record */
	struct upf_schedule due;  /* in the trace's time; set it before the first round. rate_mhz 0: not known */
	struct block_info block;  /* of the block being filled; who adds a record counts it in block.totals */
	struct upf_totals totals; /* of all submitted blocks */
	uint64_t late;            /* missed deadlines that are not recorded yet */
	struct unrecorded *unrecorded;
	size_t ndomains;
};

/* For a trace of @ndomains domains. 0 or -ENOMEM. */
int record_stream_init(struct record_stream *r, size_t ndomains);
void record_stream_release(struct record_stream *r); /* not the queue */

/* Encodes what waits for its domain, then @record. 0; -ENOBUFS: no block is free; or another negative errno. */
int record_stream_put(struct record_stream *r, const struct record *record);
/* Encodes an event, or keeps it until a block is free. */
void record_stream_event(struct record_stream *r, uint32_t domain, uint64_t time_ns, enum upf_event_code code,
                         uint64_t value);
/* Counts @samples of @domain as lost; recorded when a block is free. */
void record_stream_lose(struct record_stream *r, uint32_t domain, uint64_t samples);
/* Records @missed more deadlines as missed, or keeps their number. 0 more: only tries to record those kept. */
void record_stream_late(struct record_stream *r, uint64_t time_ns, uint64_t missed);
/* Encodes what waits for @domain; returns as record_stream_put(). */
int record_stream_retry(struct record_stream *r, uint32_t domain, uint64_t time_ns);
/* True: nothing waits, and there is a block to fill. */
bool record_stream_settled(const struct record_stream *r);
/* Hands the block to the writer thread; the next one begins with an empty @block. */
void record_stream_submit(struct record_stream *r);

#endif
