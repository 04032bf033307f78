/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entries.h - from the sampling thread into the blocks of a trace. What finds every block full is counted as lost, and
 * comes before what follows it once there is room.
 */
#ifndef RECORD_OUTPUT_ENTRIES_H
#define RECORD_OUTPUT_ENTRIES_H

#include <stdint.h>

#include "format/upf.h"
#include "record/sampling/session.h"

/* One thing to encode, so that a full block can be handed over and the same thing tried on the next. */
struct entry {
	enum { ENTRY_ROUND, ENTRY_SAME, ENTRY_LOST, ENTRY_LATE, ENTRY_EVENT } kind;
	uint32_t domain;
	uint64_t time_ns, pause_ns, count;
	unsigned code;
};

/* 0, or -ENOBUFS: every block waits for the disk. */
int entries_put(struct session *s, const struct entry *e);
/* Kept until it can be put. */
void entries_event(struct session *s, uint32_t domain, uint64_t time_ns, enum upf_event_code code, uint64_t value);
/* That many samples of @domain found no block: to be told as lost when there is one. */
void entries_lose(struct session *s, uint32_t domain, uint64_t samples);
/* What could not be recorded when it happened; as entries_put(). */
int entries_put_pending(struct session *s, uint32_t domain, uint64_t time_ns);
/* The block goes to the writer thread, with the totals of just what is in it. */
void entries_hand_over(struct session *s);

#endif
