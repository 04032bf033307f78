/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink.h - where blocks go: into one trace, into one after the other (--switch-output), or into memory, of which a
 * trace is made when it is asked for and at the end (--overwrite). All but sink_new() and what only looks is the
 * writer thread's.
 */
#ifndef RECORD_OUTPUT_SINK_H
#define RECORD_OUTPUT_SINK_H

#include "record/cli/options.h"
#include "record/output/queue.h"

struct sink;

/* @o and what @head points to must outlive it. NULL: errno. */
struct sink *sink_new(const struct options *o, const struct upf_session *head);
/* Opens what blocks go to first. 0, or -1 and one line in sink_problem(). */
int sink_open(struct sink *s);
/* The slip tells how. 0 or a negative errno. */
int sink_take(struct sink *s, struct upf_encoder *e, const struct queue_slip *slip);
/* Told before the end by the sampling thread: totals that go with no block, when and why it ended. */
void sink_ending(struct sink *s, const struct upf_totals *rest, uint64_t time_ns, enum upf_reason reason);
/* The end of the last trace. 0 or a negative errno. */
int sink_end(struct sink *s);

/* For any thread: */
uint64_t sink_bytes(const struct sink *s);         /* of all traces */
uint64_t sink_current_bytes(const struct sink *s); /* of the one being written */
/* After the end: */
unsigned sink_traces(const struct sink *s);  /* how many were begun */
const char *sink_last(const struct sink *s); /* the name of the last one */
const char *sink_problem(const struct sink *s);
void sink_free(struct sink *s);

#endif
