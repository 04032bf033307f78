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
	/* The first ends with the others, and has their failures; those are used anew for every message. */
	struct message profile, message, part, ids;
};

/* A text is a number in the string table. */
static void put_text_number(struct pprof *p, struct message *message, unsigned field, const char *text)
{
	uint32_t id = 0;
	int rc = strings_add(&p->strings, text, &id);

	if (p->profile.rc == 0)
		p->profile.rc = rc;
	protobuf_uint(message, field, id);
}

/* --- locations --------------------------------------------------------------------------------------------------- */

static void put_location(struct pprof *p, const struct location *l, uint32_t id)
{
	const struct table_frame *first = &p->table.frames[p->frames[l->first]];

	protobuf_uint(&p->message, LOCATION_ID, id + 1);
	if (first->address && stacks_domain(&p->report->run->traces.session, l->domain))
		protobuf_uint(&p->message, LOCATION_MAPPING_ID, l->domain + 1);
	protobuf_uint(&p->message, LOCATION_ADDRESS, frame_table_code(first));
	for (uint32_t i = l->n; i-- > 0;) {
		const struct table_frame *f = &p->table.frames[p->frames[l->first + i]];

		protobuf_uint(&p->part, LINE_FUNCTION_ID, f->function + 1);
		protobuf_uint(&p->part, LINE_LINE, f->line);
		protobuf_message(&p->message, LOCATION_LINE, &p->part);
	}
	protobuf_message(&p->profile, PROFILE_LOCATION, &p->message);
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
	put_location(p, &p->locations[*id], *id);
	return p->profile.rc;
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

	for (size_t end = n; rc == 0 && end > 0;) {
		size_t first = end - 1;

		while (first > 0 && p->table.frames[p->table.ids[first]].inline_depth)
			first--;
		rc = find_location(p, domain, p->table.ids + first, (uint32_t)(end - first), &id);
		if (rc == 0)
			protobuf_varint(&p->ids, (uint64_t)id + 1);
		end = first;
	}
	return rc;
}

/* --- samples ----------------------------------------------------------------------------------------------------- */

static void put_sample_label(struct pprof *p, const char *key, const char *text)
{
	put_text_number(p, &p->part, LABEL_KEY, key);
	put_text_number(p, &p->part, LABEL_STR, text);
	protobuf_message(&p->message, SAMPLE_LABEL, &p->part);
}

/* A label needs a unit: pprof ignores numbers that are 0 and have none. */
static void put_number(struct pprof *p, const char *key, uint64_t n, const char *unit)
{
	put_text_number(p, &p->part, LABEL_KEY, key);
	protobuf_uint(&p->part, LABEL_NUM, n);
	put_text_number(p, &p->part, LABEL_NUM_UNIT, unit);
	protobuf_message(&p->message, SAMPLE_LABEL, &p->part);
}

static int put_sample(void *ctx, const struct stack *s, const struct callchain *c)
{
	struct pprof *p = ctx;
	const char *domain;
	int rc = frame_table_chain(&p->table, c);

	if (rc == 0)
		rc = find_locations(p, s->domain, c->n);
	if (rc == 0)
		rc = stacks_domain_name(p->report->run, s->domain, &domain);
	if (rc != 0)
		return rc;
	protobuf_message(&p->message, SAMPLE_LOCATION_ID, &p->ids);
	protobuf_varint(&p->part, s->samples);
	protobuf_varint(&p->part, s->cpu_ns);
	if (p->has_time)
		protobuf_varint(&p->part, stacks_time(p->report->run, s));
	protobuf_message(&p->message, SAMPLE_VALUE, &p->part);
	put_sample_label(p, "domain", domain);
	put_number(p, "vcpu", s->vcpu, "count");
	put_sample_label(p, "state", upf_state_text(s->state));
	protobuf_message(&p->profile, PROFILE_SAMPLE, &p->message);
	return p->profile.rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

/*
 * Without a system name: pprof takes it for mangled where it is the name, and would cut what looks like C++'s
 * arguments.
 */
static void put_pprof_function(struct pprof *p, uint32_t i)
{
	const struct table_function *f = &p->table.functions[i];

	protobuf_uint(&p->message, FUNCTION_ID, i + 1);
	put_text_number(p, &p->message, FUNCTION_NAME, p->report->run->names.functions[f->function].name);
	if (f->file)
		put_text_number(p, &p->message, FUNCTION_FILENAME, f->file);
	protobuf_message(&p->profile, PROFILE_FUNCTION, &p->message);
}

static bool has_symbols(const struct program *p)
{
	return p->has_symbols;
}

/* What pprof need not look up in the image any more. */
static void put_resolved(struct pprof *p, uint32_t domain)
{
	const struct binaries *b = &p->report->run->binaries;
	bool files = false, inlines = false;

	for (size_t i = 0; i < p->table.nfunctions; i++)
		files |= p->table.functions[i].file != NULL;
	for (size_t i = 0; i < p->table.nframes; i++)
		inlines |= p->table.frames[i].inline_depth > 0;
	protobuf_uint(&p->message, MAPPING_HAS_FUNCTIONS, binaries_ran_any(b, domain, has_symbols));
	protobuf_uint(&p->message, MAPPING_HAS_FILENAMES, files);
	protobuf_uint(&p->message, MAPPING_HAS_LINE_NUMBERS, files);
	protobuf_uint(&p->message, MAPPING_HAS_INLINE_FRAMES, inlines);
}

/* A domain's image, at the addresses that it was linked for. */
static int put_mapping(struct pprof *p, uint32_t domain)
{
	const struct upf_domain *d = stacks_domain(&p->report->run->traces.session, domain);
	const char *image;
	int rc = stacks_image(p->report->run, domain, &image);

	if (rc != 0)
		return rc;
	protobuf_uint(&p->message, MAPPING_ID, (uint64_t)domain + 1);
	protobuf_uint(&p->message, MAPPING_MEMORY_LIMIT, UINT64_MAX);
	put_text_number(p, &p->message, MAPPING_FILENAME, image);
	if (d->build_id)
		put_text_number(p, &p->message, MAPPING_BUILD_ID, d->build_id);
	put_resolved(p, domain);
	protobuf_message(&p->profile, PROFILE_MAPPING, &p->message);
	return p->profile.rc;
}

static void put_value_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	put_text_number(p, &p->message, VALUE_TYPE_TYPE, type);
	put_text_number(p, &p->message, VALUE_TYPE_UNIT, unit);
	protobuf_message(&p->profile, field, &p->message);
}

static void put_strings(struct pprof *p)
{
	for (size_t i = 0; i < p->strings.n; i++)
		protobuf_text(&p->profile, PROFILE_STRING_TABLE, p->strings.texts[i]);
}

/* --- the profile ------------------------------------------------------------------------------------------------- */

static void put_comment(struct pprof *p, const char *label, const char *text)
{
	char comment[1024];

	snprintf(comment, sizeof(comment), "%s: %s", label, text ? text : "?");
	put_text_number(p, &p->profile, PROFILE_COMMENT, comment);
}

static void put_comments(struct pprof *p)
{
	const struct upf_session *session = &p->report->run->traces.session;
	const uint64_t lost = counters_lost(&p->report->run->profile.counters);

	put_comment(p, "recorded by", session->recorder);
	put_comment(p, "command", session->command);
	put_comment(p, "host", session->host);
	put_comment(p, "hypervisor", session->hypervisor);
	if (lost)
		put_comment(p, "samples lost", text_count(lost).s);
}

static void put_types(struct pprof *p)
{
	bool by_cpu = p->report->selection->weight == WEIGHT_CPU;
	const char *first = by_cpu ? "cpu" : p->has_time ? "time" : "samples";

	put_value_type(p, PROFILE_SAMPLE_TYPE, "samples", "count");
	put_value_type(p, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
	if (p->has_time)
		put_value_type(p, PROFILE_SAMPLE_TYPE, "time", "nanoseconds");
	put_value_type(p, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	protobuf_uint(&p->profile, PROFILE_PERIOD, stacks_period(&p->report->run->traces.session));
	/* The flat profile's figures, so samples: a trace may have no CPU times. */
	put_text_number(p, &p->profile, PROFILE_DEFAULT_SAMPLE_TYPE, first);
}

static void put_pprof_times(struct pprof *p)
{
	const struct recording *r = p->report->run;
	uint64_t from_ns, to_ns;

	traces_range(&r->traces, TRACES_DOMAINS, &from_ns, &to_ns);
	protobuf_uint(&p->profile, PROFILE_TIME_NANOS, r->traces.session.start_real_ns + from_ns);
	protobuf_uint(&p->profile, PROFILE_DURATION_NANOS, recording_duration(r));
}

static int make(struct pprof *p)
{
	const struct report *r = p->report;
	uint32_t empty;
	int rc;

	p->profile.rc = strings_add(&p->strings, "", &empty); /* has to be the first */
	put_types(p);
	rc = stacks_each(r->run, r->selection->states, put_sample, p);
	for (uint32_t i = 0; rc == 0 && i < r->run->traces.session.ndomains; i++)
		rc = put_mapping(p, i);
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; i < p->table.nfunctions; i++)
		put_pprof_function(p, i);
	put_pprof_times(p);
	put_comments(p);
	put_strings(p);
	return p->profile.rc;
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
		fwrite(p.profile.bytes.data, 1, p.profile.bytes.len, r->out.file);
	frame_table_free(&p.table);
	strings_free(&p.strings);
	hash_table_free(&p.by_frame);
	free(p.locations);
	free(p.frames);
	buf_free(&p.profile.bytes);
	buf_free(&p.message.bytes);
	buf_free(&p.part.bytes);
	buf_free(&p.ids.bytes);
	return view_exported(r, rc);
}

const struct view view_pprof = {
	.name = "pprof",
	.help = "pprof's format, for go tool pprof and others: -o run.pb.gz",
	.endings = {".pb", ".pprof"},
	.states = STATES_CPU,
	.gzip = true,
	.run = run_pprof,
};
