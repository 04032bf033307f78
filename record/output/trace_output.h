/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_output.h - where blocks go: into one trace, into one trace after another (--switch-output), or into memory, of
 * which a trace is written on request and at the end (--overwrite). The writer thread calls these functions; the
 * others say so.
 */
#ifndef RECORD_OUTPUT_TRACE_OUTPUT_H
#define RECORD_OUTPUT_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/upf.h"
#include "record/output/queue.h"

struct output_options {
	const char *path;   /* "-": standard output */
	bool replace;       /* a file that exists */
	bool is_default;    /* the path is trace_file_name()'s: the file is to be that of sudo's user */
	bool verbose;       /* print when a trace of several is complete */
	bool switching;     /* --switch-output: blocks say when */
	uint64_t max_files; /* with a time stamp in their name; 0: no limit */
	struct {
		bool on;
		uint64_t bytes, ns; /* limits of what is kept; ns 0: none */
	} flight_recorder;
};

struct trace_output;

/* Any thread. @o and what @head points to must outlive it. NULL: errno. */
struct trace_output *trace_output_new(const struct output_options *o, const struct upf_session *head);
/* Opens the first trace. 0, or -1: see trace_output_problem(). */
int trace_output_open(struct trace_output *t);
/* Writes or keeps a block, as @info says. 0, or the negative errno that ended the output: no block is written then. */
int trace_output_block(struct trace_output *t, struct upf_encoder *e, const struct block_info *info);
/* The sampling thread, before the queue ends: totals that belong to no block, and when and why the recording ended. */
void trace_output_set_end(struct trace_output *t, const struct upf_totals *rest, uint64_t time_ns,
                          enum upf_reason reason);
/* Completes the last trace. 0 or a negative errno. */
int trace_output_finish(struct trace_output *t);

/* Any thread: */
uint64_t trace_output_bytes(const struct trace_output *t);         /* of all traces */
uint64_t trace_output_current_bytes(const struct trace_output *t); /* of the one being written */
bool trace_output_is_file(const struct trace_output *t);           /* a regular one: nobody waits for a block */
unsigned trace_output_count(const struct trace_output *t);         /* of traces that were begun */
/* Any thread, once the queue has ended or could not be started: */
const char *trace_output_last(const struct trace_output *t); /* the name of the last one of them */
/* "WHAT: WHY" if a trace could not be begun, else "": then errors are about trace_output_last(). */
const char *trace_output_problem(const struct trace_output *t);
void trace_output_free(struct trace_output *t);

#endif
