/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof.c - pprof's gzipped profile.proto (github.com/google/pprof, proto/profile.proto).
 *
 * A sample there is one stack of one vCPU in one run state. Its values are the number of samples and the CPU time; its
 * labels are domain, vCPU and state. A location is an address with all functions inlined there. Fields may come in any
 * order: samples and new locations are written as they are met, then the tables that they refer to.
 */
#include "report/export/frame_table.h"
#include "report/export/protobuf.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "common/string_table.h"
#include "report/output/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_SAMPLE_TYPE
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_MEMORY_START,
	MAPPING_MEMORY_LIMIT,
	MAPPING_FILE_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINE_NUMBERS,
	MAPPING_HAS_INLINE_FRAMES
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_FILENAME = 4 };

/* A place in a domain's code: one frame, or several of which all but the first are inlined. */
struct location {
	uint32_t domain;
	uint32_t first; /* its frames in @frames */
	uint32_t n;
};

struct pprof {
	const struct report *report;
	bool has_time; /* what stacks weigh: samples do not tell the same */
	struct frame_table table;
	struct strings strings;
	struct location *locations;
	size_t nlocations, locations_cap;
	struct hash_table by_frame;
	uint32_t *frames; /* of the locations: outermost first */
	size_t nframes, frames_cap;
	struct buf profile, message, part, ids; /* all but the first used anew for every message */
};

/* Ends the message that is being made: as a field of the profile. */
static int put_message(struct pprof *p, unsigned field)
{
	int rc = protobuf_message(&p->profile, field, &p->message);

	p->message.len = 0;
	return rc;
}

/* Ends the part of a message that is being made. */
static int put_part(struct pprof *p, unsigned field)
{
	int rc = protobuf_message(&p->message, field, &p->part);

	p->part.len = 0;
	return rc;
}

/* A text is a number in the string table. */
static int put_text_number(struct pprof *p, struct buf *message, unsigned field, const char *text)
{
	uint32_t id;
	int rc = strings_add(&p->strings, text, &id);

	return rc == 0 ? protobuf_uint(message, field, id) : rc;
}

/* --- locations --------------------------------------------------------------------------------------------------- */

static int put_location(struct pprof *p, const struct location *l, uint32_t id)
{
	const struct table_frame *first = &p->table.frames[p->frames[l->first]];
	bool mapped = first->address && stacks_domain(&p->report->run->traces.session, l->domain);
	int rc = protobuf_uint(&p->message, LOCATION_ID, id + 1);

	if (rc == 0 && mapped)
		rc = protobuf_uint(&p->message, LOCATION_MAPPING_ID, l->domain + 1);
	if (rc == 0)
		rc = protobuf_uint(&p->message, LOCATION_ADDRESS, frame_table_code(first));
	for (uint32_t i = l->n; rc == 0 && i-- > 0;) {
		const struct table_frame *f = &p->table.frames[p->frames[l->first + i]];

		rc = protobuf_uint(&p->part, LINE_FUNCTION_ID, f->function + 1);
		if (rc == 0)
			rc = protobuf_uint(&p->part, LINE_LINE, f->line);
		if (rc == 0)
			rc = put_part(p, LOCATION_LINE);
	}
	return rc == 0 ? put_message(p, PROFILE_LOCATION) : rc;
}

static int add_location(struct pprof *p, uint32_t domain, const uint32_t *frames, uint32_t n, uint32_t *id)
{
	int rc = p->nlocations < UINT32_MAX - 1 ? 0 : -EOVERFLOW;

	if (rc == 0)
		rc = array_room(&p->locations, &p->locations_cap, p->nlocations, sizeof(*p->locations));
	if (rc == 0)
		rc = p->nframes < UINT32_MAX - n
		             ? array_room(&p->frames, &p->frames_cap, p->nframes + n, sizeof(*p->frames))
		             : -EOVERFLOW;
	if (rc != 0)
		return rc;
	*id = (uint32_t)p->nlocations++;
	p->locations[*id] = (struct location){.domain = domain, .first = (uint32_t)p->nframes, .n = n};
	memcpy(p->frames + p->nframes, frames, n * sizeof(*frames));
	p->nframes += n;
	return put_location(p, &p->locations[*id], *id);
}

/* The location of @n frames, which is written when it is met first. */
static int find_location(struct pprof *p, uint32_t domain, const uint32_t *frames, uint32_t n, uint32_t *id)
{
	uint32_t hash;
	int rc = hash_table_reserve(&p->by_frame);

	if (rc != 0)
		return rc;
	hash = hash_table_hash(&p->by_frame, frames[0], (uint64_t)domain << 32 | n);
	for (size_t at = hash_table_first(&p->by_frame, hash); hash_table_id(&p->by_frame, &at, hash, id);
	     at = hash_table_next(&p->by_frame, at)) {
		const struct location *l = &p->locations[*id];

		if (l->domain == domain && l->n == n && memcmp(p->frames + l->first, frames, n * sizeof(*frames)) == 0)
			return 0;
	}
	rc = add_location(p, domain, frames, n, id);
	if (rc == 0)
		hash_table_add(&p->by_frame, hash, *id);
	return rc;
}

/* The locations of the stack in @p->table.ids, leaf first, into @p->ids. */
static int find_locations(struct pprof *p, uint32_t domain, size_t n)
{
	uint32_t id;
	int rc = 0;

	p->ids.len = 0;
	for (size_t end = n; rc == 0 && end > 0;) {
		size_t first = end - 1;

		while (first > 0 && p->table.frames[p->table.ids[first]].inline_depth)
			first--;
		rc = find_location(p, domain, p->table.ids + first, (uint32_t)(end - first), &id);
		if (rc == 0)
			rc = protobuf_varint(&p->ids, (uint64_t)id + 1);
		end = first;
	}
	return rc;
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static int put_sample_label(struct pprof *p, const char *key, const char *text)
{
	int rc = put_text_number(p, &p->part, LABEL_KEY, key);

	if (rc == 0)
		rc = put_text_number(p, &p->part, LABEL_STR, text);
	return rc == 0 ? put_part(p, SAMPLE_LABEL) : rc;
}

/* With a unit, for pprof passes over numbers that are 0 and have none. */
static int put_number(struct pprof *p, const char *key, uint64_t n, const char *unit)
{
	int rc = put_text_number(p, &p->part, LABEL_KEY, key);

	if (rc == 0)
		rc = protobuf_uint(&p->part, LABEL_NUM, n);
	if (rc == 0)
		rc = put_text_number(p, &p->part, LABEL_NUM_UNIT, unit);
	return rc == 0 ? put_part(p, SAMPLE_LABEL) : rc;
}

static int put_labels(struct pprof *p, const struct stack *s)
{
	const char *domain;
	int rc = stacks_domain_name(p->report->run, s->domain, &domain);

	if (rc == 0)
		rc = put_sample_label(p, "domain", domain);
	if (rc == 0)
		rc = put_number(p, "vcpu", s->vcpu, "count");
	return rc == 0 ? put_sample_label(p, "state", upf_state_text(s->state)) : rc;
}

static int put_sample(void *ctx, const struct stack *s, const struct callchain *c)
{
	struct pprof *p = ctx;
	int rc = frame_table_chain(&p->table, c);

	if (rc == 0)
		rc = find_locations(p, s->domain, c->n);
	if (rc == 0)
		rc = protobuf_message(&p->message, SAMPLE_LOCATION_ID, &p->ids);
	if (rc == 0)
		rc = protobuf_varint(&p->part, s->samples);
	if (rc == 0)
		rc = protobuf_varint(&p->part, s->cpu_ns);
	if (rc == 0 && p->has_time)
		rc = protobuf_varint(&p->part, stacks_time(p->report->run, s));
	if (rc == 0)
		rc = put_part(p, SAMPLE_VALUE);
	if (rc == 0)
		rc = put_labels(p, s);
	return rc == 0 ? put_message(p, PROFILE_SAMPLE) : rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

/*
 * Without a system name: pprof takes it for mangled where it is the name, and would cut what looks like C++'s
 * arguments.
 */
static int put_pprof_function(struct pprof *p, uint32_t i)
{
	const struct table_function *f = &p->table.functions[i];
	const char *name = p->report->run->names.functions[f->function].name;
	int rc = protobuf_uint(&p->message, FUNCTION_ID, i + 1);

	if (rc == 0)
		rc = put_text_number(p, &p->message, FUNCTION_NAME, name);
	if (rc == 0 && f->file)
		rc = put_text_number(p, &p->message, FUNCTION_FILENAME, f->file);
	return rc == 0 ? put_message(p, PROFILE_FUNCTION) : rc;
}

/* What pprof need not look up in the image any more. */
static int put_resolved(struct pprof *p, uint32_t domain)
{
	const struct binaries *b = &p->report->run->binaries;
	const struct program *program = &b->programs[binaries_program(b, domain)];
	bool files = false, inlines = false;
	int rc = protobuf_uint(&p->message, MAPPING_HAS_FUNCTIONS, program->has_symbols);

	for (size_t i = 0; i < p->table.nfunctions; i++)
		files |= p->table.functions[i].file != NULL;
	for (size_t i = 0; i < p->table.nframes; i++)
		inlines |= p->table.frames[i].inline_depth > 0;
	if (rc == 0)
		rc = protobuf_uint(&p->message, MAPPING_HAS_FILENAMES, files);
	if (rc == 0)
		rc = protobuf_uint(&p->message, MAPPING_HAS_LINE_NUMBERS, files);
	return rc == 0 ? protobuf_uint(&p->message, MAPPING_HAS_INLINE_FRAMES, inlines) : rc;
}

/* A domain's image, at the addresses that it was linked for. */
static int put_mapping(struct pprof *p, uint32_t domain)
{
	const struct upf_domain *d = stacks_domain(&p->report->run->traces.session, domain);
	const char *image;
	int rc = stacks_image(p->report->run, domain, &image);

	if (rc == 0)
		rc = protobuf_uint(&p->message, MAPPING_ID, (uint64_t)domain + 1);
	if (rc == 0)
		rc = protobuf_uint(&p->message, MAPPING_MEMORY_LIMIT, UINT64_MAX);
	if (rc == 0)
		rc = put_text_number(p, &p->message, MAPPING_FILENAME, image);
	if (rc == 0 && d->build_id)
		rc = put_text_number(p, &p->message, MAPPING_BUILD_ID, d->build_id);
	if (rc == 0)
		rc = put_resolved(p, domain);
	return rc == 0 ? put_message(p, PROFILE_MAPPING) : rc;
}

static int put_value_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	int rc = put_text_number(p, &p->message, VALUE_TYPE_TYPE, type);

	if (rc == 0)
		rc = put_text_number(p, &p->message, VALUE_TYPE_UNIT, unit);
	return rc == 0 ? put_message(p, field) : rc;
}

static int put_strings(struct pprof *p)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->strings.n; i++)
		rc = protobuf_text(&p->profile, PROFILE_STRING_TABLE, p->strings.texts[i]);
	return rc;
}

/* --- the profile ------------------------------------------------------------------------------------------------- */

static int put_comment(struct pprof *p, const char *label, const char *text)
{
	char comment[1024];

	snprintf(comment, sizeof(comment), "%s: %s", label, text ? text : "?");
	return put_text_number(p, &p->profile, PROFILE_COMMENT, comment);
}

static int put_comments(struct pprof *p)
{
	const struct upf_session *session = &p->report->run->traces.session;
	const struct counters *t = &p->report->run->profile.counters;
	int rc = put_comment(p, "recorded by", session->recorder);

	if (rc == 0)
		rc = put_comment(p, "command", session->command);
	if (rc == 0)
		rc = put_comment(p, "host", session->host);
	if (rc == 0)
		rc = put_comment(p, "hypervisor", session->hypervisor);
	if (rc == 0 && counters_lost(t))
		rc = put_comment(p, "samples lost", text_count(counters_lost(t)).s);
	return rc;
}

static int put_types(struct pprof *p)
{
	bool by_cpu = p->report->selection->weight == WEIGHT_CPU;
	const char *first = by_cpu ? "cpu" : p->has_time ? "time" : "samples";
	int rc = put_value_type(p, PROFILE_SAMPLE_TYPE, "samples", "count");

	if (rc == 0)
		rc = put_value_type(p, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
	if (rc == 0 && p->has_time)
		rc = put_value_type(p, PROFILE_SAMPLE_TYPE, "time", "nanoseconds");
	if (rc == 0)
		rc = put_value_type(p, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	if (rc == 0)
		rc = protobuf_uint(&p->profile, PROFILE_PERIOD, stacks_period(&p->report->run->traces.session));
	/* The flat profile's figures, so samples: a trace may have no CPU times. */
	return rc == 0 ? put_text_number(p, &p->profile, PROFILE_DEFAULT_SAMPLE_TYPE, first) : rc;
}

static int put_pprof_times(struct pprof *p)
{
	const struct recording *r = p->report->run;
	uint64_t from_ns, to_ns;
	int rc;

	traces_range(&r->traces, TRACES_DOMAINS, &from_ns, &to_ns);
	rc = protobuf_uint(&p->profile, PROFILE_TIME_NANOS, r->traces.session.start_real_ns + from_ns);
	return rc == 0 ? protobuf_uint(&p->profile, PROFILE_DURATION_NANOS, recording_duration(r)) : rc;
}

static int make(struct pprof *p)
{
	const struct report *r = p->report;
	uint32_t empty;
	int rc = strings_add(&p->strings, "", &empty); /* has to be the first */

	if (rc == 0)
		rc = put_types(p);
	if (rc == 0)
		rc = stacks_each(r->run, r->selection->states, put_sample, p);
	for (uint32_t i = 0; rc == 0 && i < r->run->traces.session.ndomains; i++)
		rc = put_mapping(p, i);
	for (uint32_t i = 0; rc == 0 && i < p->table.nfunctions; i++)
		rc = put_pprof_function(p, i);
	if (rc == 0)
		rc = put_pprof_times(p);
	if (rc == 0)
		rc = put_comments(p);
	return rc == 0 ? put_strings(p) : rc;
}

static int run_pprof(const struct report *r, struct view_result *found)
{
	struct pprof p = {.report = r};
	int rc = view_load(r, NULL);

	(void)found;
	p.has_time = rc == 0 && stacks_weigh_time(r->run, r->selection);
	if (rc == 0)
		rc = make(&p);
	if (rc == 0)
		fwrite(p.profile.data, 1, p.profile.len, r->out.file);
	frame_table_free(&p.table);
	strings_free(&p.strings);
	hash_table_free(&p.by_frame);
	free(p.locations);
	free(p.frames);
	buf_free(&p.profile);
	buf_free(&p.message);
	buf_free(&p.part);
	buf_free(&p.ids);
	if (rc == 0)
		view_end(r, NULL, profile_count(&r->run->profile, r->selection->states));
	return rc;
}

const struct view view_pprof = {
	.name = "pprof",
	.help = "pprof's format, for go tool pprof and others: -o run.pb.gz",
	.endings = {".pb", ".pprof"},
	.states = STATES_CPU,
	.gzip = true,
	.run = run_pprof,
};
