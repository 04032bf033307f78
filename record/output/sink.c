/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/sink.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/say.h"
#include "record/output/trace_file.h"
#include "record/sampling/timer.h"
#include "record/output/flight_recorder.h"

#define STAMP_TRIES 100 /* names a hundredth of a second apart */

struct sink {
	const struct options *options;
	struct upf_session head; /* of the trace being written */
	struct trace_file *output;
	struct upf_writer *writer;
	struct flight_recorder *recent; /* --overwrite */
	struct upf_totals totals;       /* of the trace being written */
	struct {
		struct upf_totals rest;
		uint64_t time_ns;
		enum upf_reason reason;
	} ending;
	char **names; /* --switch-max-files: of the last ones, in a ring */
	char *last;
	unsigned traces;
	atomic_ullong bytes_before, bytes; /* of earlier traces; of this one */
	int error;                         /* that ended the traces, but with --overwrite: no more are begun */
	char why[1024];
};

struct sink *sink_new(const struct options *o, const struct upf_session *head)
{
	struct sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->options = o;
	s->head = *head;
	s->names = calloc(o->switching.max_files + 1, sizeof(*s->names));
	if (o->recent.on)
		s->recent = flight_recorder_new(o->recent.bytes, o->recent.ns);
	if (s->names && (s->recent || !o->recent.on))
		return s;
	sink_free(s);
	errno = ENOMEM;
	return NULL;
}

void sink_free(struct sink *s)
{
	if (!s)
		return;
	upf_writer_free(s->writer);
	trace_file_close(s->output);
	flight_recorder_free(s->recent);
	for (uint64_t i = 0; s->names && i < s->options->switching.max_files; i++)
		free(s->names[i]);
	free(s->names);
	free(s->last);
	free(s);
}

uint64_t sink_current_bytes(const struct sink *s)
{
	return atomic_load(&s->bytes);
}

uint64_t sink_bytes(const struct sink *s)
{
	return atomic_load(&s->bytes_before) + sink_current_bytes(s);
}

unsigned sink_traces(const struct sink *s)
{
	return s->traces;
}

const char *sink_last(const struct sink *s)
{
	return s->last ? s->last : s->options->output;
}

const char *sink_problem(const struct sink *s)
{
	return s->why;
}

/* --- one trace --------------------------------------------------------------------------------------------------- */

/* When it was on the wall clock that CLOCK_MONOTONIC showed @mono_ns. */
static uint64_t real_of(uint64_t mono_ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - (clock_now() - mono_ns);
}

/* FILE.YYYYmmddHHMMSScc, as perf names them, but in UTC, which never goes back an hour. NULL: no memory. */
static char *stamped(const char *path, uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / 1000000000u);
	char *name, text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	return asprintf(&name, "%s.%s%02u", path, text, (unsigned)(real_ns / 10000000u % 100)) < 0 ? NULL : name;
}

/* Forgets a trace that could not be begun. */
static int abandon(struct sink *s, char *name, int error)
{
	if (error)
		snprintf(s->why, sizeof(s->why), "%s: %s", name ? name : s->options->output, strerror(error));
	upf_writer_free(s->writer);
	trace_file_close(s->output);
	s->writer = NULL;
	s->output = NULL;
	free(name);
	return -1;
}

/* A name of its own for each trace of several; taken ones are passed over. NULL: no memory. */
static char *new_stamped(const struct sink *s)
{
	uint64_t real_ns = s->head.start_real_ns;
	char *name = stamped(s->options->output, real_ns);

	for (int i = 1; name && access(name, F_OK) == 0 && i < STAMP_TRIES; i++) {
		free(name);
		name = stamped(s->options->output, real_ns + (uint64_t)i * 10000000u);
	}
	return name;
}

/* Removes the oldest where there would be more than --switch-max-files. */
static void make_place(struct sink *s)
{
	char **place = &s->names[s->options->switching.max_files ? s->traces % s->options->switching.max_files : 0];

	if (*place)
		unlink(*place);
	free(*place);
	*place = s->options->switching.max_files ? strdup(s->last) : NULL;
}

/* A trace whose time 0 is @start_ns of CLOCK_MONOTONIC. 0, or -1, the problem in s->why and nothing left of it. */
static int begin(struct sink *s, uint64_t start_ns, bool stamp)
{
	char *name;

	s->head.start_mono_ns = start_ns;
	s->head.start_real_ns = real_of(start_ns);
	memset(&s->totals, 0, sizeof(s->totals));
	name = stamp ? new_stamped(s) : strdup(s->options->output);
	if (!name)
		return abandon(s, NULL, ENOMEM);
	if (s->traces && getrandom(s->head.trace_id, sizeof(s->head.trace_id), 0) != (ssize_t)sizeof(s->head.trace_id))
		return abandon(s, name, EIO);
	s->output = trace_file_open(name, s->options->force, s->why, sizeof(s->why));
	if (!s->output)
		return abandon(s, name, 0);
	s->writer = upf_writer_new(&s->head, trace_file_write, s->output);
	if (!s->writer)
		return abandon(s, name, errno);
	if (trace_file_publish(s->output, s->why, sizeof(s->why)) != 0)
		return abandon(s, name, 0);
	free(s->last);
	s->last = name;
	if (stamp)
		make_place(s);
	s->traces++;
	return 0;
}

static void count_bytes(struct sink *s)
{
	if (s->writer)
		atomic_store(&s->bytes, upf_writer_bytes(s->writer));
}

/* Footer and all, even if something failed before: that is kept. */
static int complete(struct sink *s, uint64_t end_ns, enum upf_reason reason)
{
	int rc, closing;

	s->totals.duration_ns = end_ns > s->head.start_mono_ns ? end_ns - s->head.start_mono_ns : 0;
	rc = upf_writer_finish(s->writer, &s->totals, reason);
	count_bytes(s);
	upf_writer_free(s->writer);
	closing = trace_file_close(s->output);
	s->writer = NULL;
	s->output = NULL;
	atomic_fetch_add(&s->bytes_before, atomic_exchange(&s->bytes, 0));
	return rc ? rc : closing;
}

/* --- several ----------------------------------------------------------------------------------------------------- */

static int switch_over(struct sink *s, uint64_t start_ns)
{
	int rc = complete(s, start_ns, UPF_REASON_SWITCH);

	return rc == 0 && begin(s, start_ns, true) != 0 ? -EIO : rc;
}

/* What is in memory as a trace. The kept blocks' times count from the session's start, which s->head keeps. */
static int dump(struct sink *s, uint64_t end_ns, enum upf_reason reason, bool stamp)
{
	const uint64_t session_ns = s->head.start_mono_ns, first_ns = session_ns + flight_recorder_first_ns(s->recent);
	int rc = begin(s, first_ns, stamp) == 0 ? 0 : -EIO;

	if (rc == 0)
		rc = flight_recorder_put(s->recent, s->writer, &s->totals);
	if (s->writer) {
		int finished = complete(s, end_ns, reason);

		rc = rc ? rc : finished;
	}
	s->head.start_mono_ns = session_ns;
	return rc;
}

/* A dump that fails is told, and no reason to end a recording that may have run for months. */
static int keep(struct sink *s, struct upf_encoder *e, const struct queue_slip *slip)
{
	int rc = flight_recorder_add(s->recent, e, &slip->totals), dumped;

	if (rc != 0 || slip->turn != QUEUE_DUMP)
		return rc;
	s->why[0] = '\0';
	dumped = dump(s, slip->time_ns, UPF_REASON_DUMP, true);
	if (dumped != 0 && s->why[0])
		say("%s; going on", s->why);
	else if (dumped != 0)
		say("%s: %s; going on", sink_last(s), strerror(-dumped));
	s->why[0] = '\0';
	return 0;
}

/* --- the writer thread's ----------------------------------------------------------------------------------------- */

int sink_open(struct sink *s)
{
	const struct options *o = s->options;

	if (s->recent)
		return trace_file_check(o->output, o->force, s->why, sizeof(s->why));
	if (begin(s, s->head.start_mono_ns, o->switching.on) != 0)
		return -1;
	count_bytes(s);
	return 0;
}

/* Between two traces there is no writer: what fails there fails for good. */
static int put(struct sink *s, struct upf_encoder *e, const struct queue_slip *slip)
{
	int rc = slip->turn == QUEUE_BEGIN ? switch_over(s, slip->time_ns) : 0;

	if (rc == 0)
		rc = upf_writer_block(s->writer, e);
	if (rc == 0)
		upf_totals_add(&s->totals, &slip->totals);
	count_bytes(s);
	return rc;
}

int sink_take(struct sink *s, struct upf_encoder *e, const struct queue_slip *slip)
{
	if (s->recent)
		return keep(s, e, slip);
	if (s->error == 0)
		s->error = put(s, e, slip);
	return s->error;
}

void sink_ending(struct sink *s, const struct upf_totals *rest, uint64_t time_ns, enum upf_reason reason)
{
	s->ending.rest = *rest;
	s->ending.time_ns = time_ns;
	s->ending.reason = reason;
}

int sink_end(struct sink *s)
{
	if (s->recent)
		return dump(s, s->ending.time_ns, s->ending.reason, false);
	if (!s->writer)
		return 0;
	upf_totals_add(&s->totals, &s->ending.rest);
	return complete(s, s->ending.time_ns, s->ending.reason);
}
