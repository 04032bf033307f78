/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox.c - Firefox Profiler's processed profile (github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md), gzipped JSON: a domain is a process, a vCPU is a thread.
 *
 * A table is an object with one array per column. Events of a domain, such as lost samples, are markers of its vCPU 0.
 */
#include "report/export/firefox_tables.h"

#include "common/array.h"
#include "report/export/export_stacks.h"

#include <stdlib.h>

#define PROCESSED_VERSION 61 /* readers take older ones than their own, never newer ones */
#define GECKO_VERSION 34     /* of what it might have been made of: the one of the same time */

/* --- loading ----------------------------------------------------------------------------------------------------- */

static int add_marker(struct firefox *f, const struct upf_record *rec)
{
	int rc = array_room(&f->markers, &f->markers_cap, f->nmarkers, sizeof(*f->markers));

	if (rc == 0)
		f->markers[f->nmarkers++] =
			(struct marker){rec->time_ns, rec->count, rec->domain, rec->kind, rec->code};
	return rc;
}

static int count_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct firefox *f = ctx;

	(void)b;
	if (rec->kind == UPF_LOST || rec->kind == UPF_LATE || rec->kind == UPF_EVENT)
		return add_marker(f, rec);
	return timeline_add_record(&f->timeline, f->report, rec, node);
}

static int by_domain_and_time(const void *va, const void *vb)
{
	const struct marker *a = va, *b = vb;

	return a->domain != b->domain ? array_compare(a->domain, b->domain) : array_compare(a->time_ns, b->time_ns);
}

/* Every domain has its vCPU 0, for its markers, and a file has a thread at all. */
static int add_main_threads(struct firefox *f)
{
	uint32_t id;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->report->run->traces.session.ndomains; i++)
		rc = timeline_vcpu(&f->timeline, (uint32_t)i, 0, &id);
	for (size_t i = 0; rc == 0 && i < f->nmarkers; i++)
		rc = timeline_vcpu(&f->timeline, f->markers[i].domain, 0, &id);
	timeline_sort(&f->timeline);
	array_sort(f->markers, f->nmarkers, sizeof(*f->markers), by_domain_and_time);
	return rc;
}

/* --- the file's head: versions, and the categories and markers that the rest refers to by number ----------------- */

static void put_category(struct json *j, const char *name, const char *color)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "color", color);
	json_array(j, "subcategories");
	json_text(j, NULL, "Other");
	json_end(j);
	json_end(j);
}

static void put_schema_field(struct json *j, const char *key, const char *label, const char *format)
{
	json_object(j, NULL);
	json_text(j, "key", key);
	json_text(j, "label", label);
	json_text(j, "format", format);
	json_end(j);
}

/* Begins the schema of one kind of marker, up to its fields. */
static void open_schema(struct json *j, const char *name, const char *label)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "tooltipLabel", label);
	json_text(j, "tableLabel", label);
	json_text(j, "chartLabel", label);
	json_array(j, "display");
	json_text(j, NULL, "marker-chart");
	json_text(j, NULL, "marker-table");
	json_text(j, NULL, "timeline-overview");
	json_end(j);
	json_array(j, "fields");
}

static void close_schema(struct json *j)
{
	json_end(j);
	json_end(j);
}

static void put_schemas(struct json *j)
{
	json_array(j, "markerSchema");
	open_schema(j, firefox_markers[MARKER_LOST], "{marker.data.samples} samples lost: {marker.data.reason}");
	put_schema_field(j, "samples", "Samples", "integer");
	put_schema_field(j, "reason", "Reason", "string");
	close_schema(j);
	open_schema(j, firefox_markers[MARKER_LATE], "{marker.data.deadlines} deadlines missed");
	put_schema_field(j, "deadlines", "Deadlines", "integer");
	close_schema(j);
	open_schema(j, firefox_markers[MARKER_DOMAIN], "{marker.data.event}");
	put_schema_field(j, "event", "Event", "string");
	put_schema_field(j, "value", "Value", "integer");
	close_schema(j);
	json_end(j);
}

static void put_units(struct json *j)
{
	json_object(j, "sampleUnits");
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "ns");
	json_end(j);
}

/* The viewer shows what is between beginning and end, both after startTime, and nothing else. */
static void put_profile_times(struct json *j, const struct traces *traces)
{
	uint64_t from_ns, to_ns;

	traces_range(traces, TRACES_DOMAINS, &from_ns, &to_ns);
	json_real(j, "startTime", firefox_ms(traces->session.start_real_ns));
	json_uint(j, "startTimeAsClockMonotonicNanosecondsSinceBoot", traces->session.start_mono_ns);
	json_real(j, "profilingStartTime", firefox_ms(from_ns));
	json_real(j, "profilingEndTime", firefox_ms(to_ns));
}

static void put_meta(struct json *j, const struct traces *traces)
{
	const struct upf_session *s = &traces->session;

	json_object(j, "meta");
	json_uint(j, "version", GECKO_VERSION);
	json_uint(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_real(j, "interval", firefox_ms(stacks_period(s)));
	put_profile_times(j, traces);
	json_text(j, "product", "uniprof");
	json_text(j, "importedFrom", s->recorder ? s->recorder : "uniprof");
	json_text(j, "arguments", s->command ? s->command : "");
	json_text(j, "oscpu", s->hypervisor ? s->hypervisor : "");
	json_uint(j, "processType", 0);
	json_uint(j, "stackwalk", 1);
	json_bool(j, "debug", false);
	json_bool(j, "symbolicated", true);
	json_bool(j, "symbolicationNotSupported", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_bool(j, "keepProfileThreadOrder", true);
	json_array(j, "categories");
	put_category(j, "Other", "grey"); /* one of this colour has to be there */
	put_category(j, "Kernel", "orange");
	put_category(j, "User", "yellow");
	json_end(j);
	put_schemas(j);
	put_units(j);
	json_end(j);
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int put_profile_file(struct firefox *f)
{
	int rc = 0;

	json_object(&f->json, NULL);
	put_meta(&f->json, &f->report->run->traces);
	json_array(&f->json, "libs");
	json_end(&f->json);
	firefox_put_shared(f);
	json_array(&f->json, "threads");
	for (size_t i = 0; rc == 0 && i < f->timeline.n; i++)
		rc = firefox_put_thread(f, &f->timeline.vcpus[i]);
	json_end(&f->json);
	json_end(&f->json);
	return rc;
}

static void free_firefox(struct firefox *f)
{
	timeline_free(&f->timeline);
	frame_table_free(&f->table);
	calltree_free(&f->stacks);
	strings_free(&f->strings);
	strings_free(&f->files);
	free(f->markers);
	free(f->modes);
	free(f->leaves);
	free(f->names);
	free(f->sources);
	free(f->filenames);
}

static int run_firefox(const struct report *r, struct view_result *found)
{
	struct firefox f = {.report = r, .json.out = r->out.file};
	const struct load_hooks hooks = {.ctx = &f, .record = count_record};
	int rc;

	timeline_init(&f.timeline);
	rc = view_load(r, &hooks);
	if (rc == 0)
		rc = add_main_threads(&f);
	if (rc == 0)
		rc = firefox_make_tables(&f);
	if (rc == 0)
		rc = put_profile_file(&f);
	if (f.timeline.failed)
		found->failed = TIMELINE_FILE;
	free_firefox(&f);
	return view_exported(r, rc);
}

const struct view view_firefox = {
	.name = "firefox",
	.help = "Firefox Profiler's format: one thread per vCPU, markers for lost samples: -o run.json.gz",
	.states = STATES_CPU,
	.gzip = true,
	.run = run_firefox,
};
