/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/trace_output.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/say.h"
#include "record/output/flight_recorder.h"
#include "record/output/rotation.h"
#include "record/output/trace_file.h"

struct trace_output {
	const struct output_options *options;
	struct upf_session head; /* of the trace being written */
	struct trace_file *file;
	struct upf_writer *writer;
	struct rotation *rotation;
	struct flight_recorder *flight_recorder; /* NULL without --overwrite */
	struct upf_totals totals;                /* of the trace being written */
	struct {
		struct upf_totals rest;
		uint64_t time_ns;
		enum upf_reason reason;
	} end;
	bool is_file;
	char *last; /* the name of the last trace that was begun, NULL: none */
	atomic_uint count;
	atomic_ullong bytes_before, bytes; /* of earlier traces; of this one */
	int error;                         /* that ended the output */
	char problem[1024];
};

struct trace_output *trace_output_new(const struct output_options *o, const struct upf_session *head)
{
	struct trace_output *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->options = o;
	t->head = *head;
	t->rotation = rotation_new(o->path, o->max_files);
	if (o->flight_recorder.on)
		t->flight_recorder = flight_recorder_new(o->flight_recorder.bytes, o->flight_recorder.ns);
	if (t->rotation && (t->flight_recorder || !o->flight_recorder.on))
		return t;
	trace_output_free(t);
	errno = ENOMEM;
	return NULL;
}

void trace_output_free(struct trace_output *t)
{
	if (!t)
		return;
	upf_writer_free(t->writer);
	trace_file_close(t->file);
	flight_recorder_free(t->flight_recorder);
	rotation_free(t->rotation);
	free(t->last);
	free(t);
}

uint64_t trace_output_current_bytes(const struct trace_output *t)
{
	return atomic_load(&t->bytes);
}

uint64_t trace_output_bytes(const struct trace_output *t)
{
	return atomic_load(&t->bytes_before) + trace_output_current_bytes(t);
}

bool trace_output_is_file(const struct trace_output *t)
{
	return t->is_file;
}

unsigned trace_output_count(const struct trace_output *t)
{
	return atomic_load(&t->count);
}

const char *trace_output_last(const struct trace_output *t)
{
	return t->last ? t->last : t->options->path;
}

const char *trace_output_problem(const struct trace_output *t)
{
	return t->problem;
}

/* --- one trace --------------------------------------------------------------------------------------------------- */

/* The time of CLOCK_REALTIME when CLOCK_MONOTONIC was @mono_ns. */
static uint64_t real_time_of(uint64_t mono_ns)
{
	return clock_read(CLOCK_REALTIME) - (clock_now() - mono_ns);
}

/* Removes a trace that could not be begun. @error 0: the problem is described already. */
static int abandon(struct trace_output *t, char *name, int error)
{
	if (error)
		snprintf(t->problem, sizeof(t->problem), "%s: %s", name ? name : t->options->path, strerror(error));
	upf_writer_free(t->writer);
	trace_file_close(t->file);
	t->writer = NULL;
	t->file = NULL;
	free(name);
	return -1;
}

/*
 * Begins a trace whose time 0 is @start_ns of CLOCK_MONOTONIC; @stamp: with a time stamp in its name. 0, or -1 with a
 * description of the problem, and neither file nor descriptor left behind.
 */
static int begin_trace(struct trace_output *t, uint64_t start_ns, bool stamp)
{
	struct upf_session *h = &t->head;
	char *name;

	h->start_mono_ns = start_ns;
	h->start_real_ns = real_time_of(start_ns);
	memset(&t->totals, 0, sizeof(t->totals));
	name = stamp ? rotation_name(t->rotation, h->start_real_ns) : strdup(t->options->path);
	if (!name)
		return abandon(t, NULL, ENOMEM);
	if (t->count && getrandom(h->trace_id, sizeof(h->trace_id), 0) != (ssize_t)sizeof(h->trace_id))
		return abandon(t, name, EIO);
	t->file = trace_file_open(name, t->options->replace, t->problem, sizeof(t->problem));
	if (!t->file)
		return abandon(t, name, 0);
	if (t->options->is_default)
		trace_file_give(t->file);
	t->writer = upf_writer_new(h, trace_file_write, t->file);
	if (!t->writer)
		return abandon(t, name, errno);
	if (trace_file_publish(t->file, t->problem, sizeof(t->problem)) != 0)
		return abandon(t, name, 0);
	free(t->last);
	t->last = name;
	if (stamp)
		rotation_add(t->rotation, name);
	t->count++;
	return 0;
}

static void count_bytes(struct trace_output *t)
{
	if (t->writer)
		atomic_store(&t->bytes, upf_writer_bytes(t->writer));
}

/* Writes the footer and closes the trace. 0 or a negative errno, also of an earlier write. */
static int complete(struct trace_output *t, uint64_t end_ns, enum upf_reason reason)
{
	int rc, closing;

	t->totals.duration_ns = end_ns > t->head.start_mono_ns ? end_ns - t->head.start_mono_ns : 0;
	rc = upf_writer_finish(t->writer, &t->totals, reason);
	count_bytes(t);
	upf_writer_free(t->writer);
	closing = trace_file_close(t->file);
	t->writer = NULL;
	t->file = NULL;
	atomic_fetch_add(&t->bytes_before, atomic_exchange(&t->bytes, 0));
	return rc ? rc : closing;
}

/* --- several traces ---------------------------------------------------------------------------------------------- */

static int switch_trace(struct trace_output *t, uint64_t start_ns)
{
	int rc = complete(t, start_ns, UPF_REASON_SWITCH);
	char *complete_one = rc == 0 ? strdup(t->last) : NULL;

	if (rc == 0 && begin_trace(t, start_ns, true) != 0)
		rc = -EIO;
	if (rc == 0 && complete_one && t->options->verbose)
		say("%s is complete; recording to %s", complete_one, t->last);
	free(complete_one);
	return rc;
}

/* If a file with that name has come since the check, the samples go to another file: they are nowhere else. */
static int begin_last(struct trace_output *t, uint64_t start_ns)
{
	if (begin_trace(t, start_ns, false) == 0)
		return 0;
	if (access(t->options->path, F_OK) != 0)
		return -1;
	say("%s; trying another name", t->problem);
	if (begin_trace(t, start_ns, true) != 0)
		return -1;
	say("the samples are in %s", trace_output_last(t));
	t->problem[0] = '\0';
	return 0;
}

/* Writes what is in memory as a trace. Kept blocks count their time from the session's start, which t->head has. */
static int dump(struct trace_output *t, uint64_t end_ns, enum upf_reason reason, bool stamp)
{
	const uint64_t session_ns = t->head.start_mono_ns;
	const uint64_t start_ns = session_ns + flight_recorder_first_ns(t->flight_recorder);
	int rc = (stamp ? begin_trace(t, start_ns, true) : begin_last(t, start_ns)) == 0 ? 0 : -EIO;

	if (rc == 0)
		rc = flight_recorder_write(t->flight_recorder, t->writer, &t->totals);
	if (t->writer) {
		int finished = complete(t, end_ns, reason);

		rc = rc ? rc : finished;
	}
	t->head.start_mono_ns = session_ns;
	return rc;
}

/* A dump that fails is reported; it does not end a recording that may have run for months. */
static int keep_block(struct trace_output *t, struct upf_encoder *e, const struct block_info *info)
{
	int rc = 0, dumped;

	if (!upf_encoder_empty(e))
		rc = flight_recorder_add(t->flight_recorder, e, &info->totals);
	if (rc != 0 || info->action != BLOCK_DUMP)
		return rc;
	dumped = dump(t, info->time_ns, UPF_REASON_DUMP, true);
	if (dumped == 0 && t->options->verbose)
		say("%s has the newest samples; the recording continues", t->last);
	else if (dumped != 0 && t->problem[0])
		say("%s; the recording continues", t->problem);
	else if (dumped != 0)
		say("%s: %s; the recording continues", trace_output_last(t), strerror(-dumped));
	t->problem[0] = '\0';
	return 0;
}

/* --- the writer thread's ----------------------------------------------------------------------------------------- */

int trace_output_open(struct trace_output *t)
{
	const struct output_options *o = t->options;

	rotation_adopt(t->rotation);
	if (t->flight_recorder)
		return trace_file_check(o->path, o->replace, t->problem, sizeof(t->problem));
	if (begin_trace(t, t->head.start_mono_ns, o->switching) != 0)
		return -1;
	t->is_file = trace_file_is_regular(t->file);
	count_bytes(t);
	return 0;
}

static int write_block(struct trace_output *t, struct upf_encoder *e, const struct block_info *info)
{
	int rc = info->action == BLOCK_SWITCH ? switch_trace(t, info->time_ns) : 0;

	if (rc == 0)
		rc = upf_writer_block(t->writer, e);
	if (rc == 0)
		upf_totals_add(&t->totals, &info->totals);
	count_bytes(t);
	return rc;
}

/* After a failed switch there is no trace to write to. */
int trace_output_block(struct trace_output *t, struct upf_encoder *e, const struct block_info *info)
{
	if (t->flight_recorder)
		return keep_block(t, e, info);
	if (t->error == 0)
		t->error = write_block(t, e, info);
	return t->error;
}

void trace_output_set_end(struct trace_output *t, const struct upf_totals *rest, uint64_t time_ns,
                          enum upf_reason reason)
{
	t->end.rest = *rest;
	t->end.time_ns = time_ns;
	t->end.reason = reason;
}

int trace_output_finish(struct trace_output *t)
{
	if (t->flight_recorder)
		return dump(t, t->end.time_ns, t->end.reason, false);
	if (!t->writer)
		return t->error;
	upf_totals_add(&t->totals, &t->end.rest);
	return complete(t, t->end.time_ns, t->end.reason);
}
