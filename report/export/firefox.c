/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox.c - Firefox Profiler's processed profile (github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md), gzipped JSON: a domain is a process, a vCPU is a thread.
 *
 * A table is an object with one array per column. Events of a domain, such as lost samples, are markers of its vCPU 0.
 */
#include "report/profile/calltree.h"
#include "report/export/firefox_meta.h"
#include "report/export/frame_table.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "report/export/string_table.h"
#include "report/export/timeline.h"
#include "report/output/json_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PHASE_INSTANT 0

enum { IN_KERNEL = 1, IN_USER = 2 }; /* stacks that contain a frame */

struct marker {
	uint64_t time_ns, count;
	uint32_t domain;
	uint8_t kind, code; /* of the record */
};

struct firefox {
	const struct report *report;
	struct json json;
	struct timeline timeline;
	struct marker *markers;
	size_t nmarkers, markers_cap, next_marker;

	struct frame_table table;
	uint8_t *modes; /* by frame */
	size_t modes_cap;
	struct calltree stacks; /* of frames' numbers instead of addresses */
	uint32_t *leaves;       /* by node of the profile's tree, twice: in the kernel and in user mode */

	struct strings strings, files;
	uint32_t *names;     /* by function of the table: the string */
	uint32_t *sources;   /* the same: the file, if it has one */
	uint32_t *filenames; /* by file: the string */
};

/* --- loading ----------------------------------------------------------------------------------------------------- */

static int add_marker(struct firefox *f, const struct upf_record *rec)
{
	int rc = array_room(&f->markers, &f->markers_cap, f->nmarkers, sizeof(*f->markers));

	if (rc == 0)
		f->markers[f->nmarkers++] =
			(struct marker){rec->time_ns, rec->count, rec->domain, rec->kind, rec->code};
	return rc;
}

static int record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	const struct timeline_sample m = {
		.time_ns = rec->time_ns, .cpu_ns = rec->cpu_ns, .node = node, .user = rec->user};
	struct firefox *f = ctx;

	(void)b;
	if (rec->kind == UPF_LOST || rec->kind == UPF_LATE || rec->kind == UPF_EVENT)
		return add_marker(f, rec);
	if (rec->kind != UPF_SAMPLE || !stacks_counts(f->report->selection->states, rec->state))
		return 0;
	return timeline_add(&f->timeline, rec->domain, rec->vcpu, &m);
}

static int by_domain_and_time(const void *va, const void *vb)
{
	const struct marker *a = va, *b = vb;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
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
	if (f->nmarkers)
		qsort(f->markers, f->nmarkers, sizeof(*f->markers), by_domain_and_time);
	return rc;
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static int note_mode(struct firefox *f, uint32_t frame, bool user)
{
	size_t old = f->modes_cap;
	int rc = array_room(&f->modes, &f->modes_cap, frame, sizeof(*f->modes));

	if (rc != 0)
		return rc;
	for (; old < f->modes_cap; old++)
		f->modes[old] = 0;
	f->modes[frame] |= user ? IN_USER : IN_KERNEL;
	return 0;
}

static int add_stack(void *ctx, const struct stack *s, const struct callchain *c)
{
	struct firefox *f = ctx;
	uint32_t leaf = 0;
	int rc = frame_table_chain(&f->table, c);

	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		rc = note_mode(f, f->table.ids[i], stack_is_user(s));
		if (rc == 0)
			rc = calltree_child(&f->stacks, leaf, f->table.ids[i], 0, &leaf);
	}
	f->leaves[(size_t)s->node * 2 + stack_is_user(s)] = leaf;
	return rc;
}

static int add_function_names(struct firefox *f)
{
	size_t n = f->table.nfunctions;
	int rc = 0;

	f->names = calloc(n + 1, sizeof(*f->names));
	f->sources = calloc(n + 1, sizeof(*f->sources));
	if (!f->names || !f->sources)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct table_function *function = &f->table.functions[i];

		rc = strings_add(&f->strings, f->report->run->names.functions[function->function].name, &f->names[i]);
		if (rc == 0 && function->file)
			rc = strings_add(&f->files, function->file, &f->sources[i]);
	}
	return rc;
}

static int add_filenames(struct firefox *f)
{
	int rc = 0;

	f->filenames = calloc(f->files.n + 1, sizeof(*f->filenames));
	if (!f->filenames)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < f->files.n; i++)
		rc = strings_add(&f->strings, f->files.texts[i], &f->filenames[i]);
	return rc;
}

static int add_strings(struct firefox *f)
{
	int rc = 0;

	/* Markers' names first, so that their numbers are those of the array. */
	for (uint32_t i = 0, id; rc == 0 && i < FIREFOX_MARKERS; i++)
		rc = strings_add(&f->strings, firefox_markers[i], &id);
	if (rc == 0)
		rc = add_function_names(f);
	return rc == 0 ? add_filenames(f) : rc;
}

static int make_tables(struct firefox *f)
{
	int rc = calltree_init(&f->stacks);

	if (rc != 0)
		return rc;
	f->leaves = calloc(f->report->run->profile.tree.n, 2 * sizeof(*f->leaves));
	rc = f->leaves ? stacks_each(f->report->run, f->report->selection->states, add_stack, f) : -ENOMEM;
	return rc == 0 ? add_strings(f) : rc;
}

/* --- a table's columns ------------------------------------------------------------------------------------------- */

typedef void put_cell(struct firefox *f, size_t row);

static void put_column(struct firefox *f, const char *key, size_t rows, put_cell *put)
{
	json_array(&f->json, key);
	for (size_t i = 0; i < rows; i++)
		put(f, i);
	json_end(&f->json);
}

struct column {
	const char *key;
	put_cell *put;
};

/* @columns end with one without a name. */
static void put_table(struct firefox *f, const char *key, size_t rows, const struct column *columns)
{
	json_object(&f->json, key);
	json_uint(&f->json, "length", rows);
	for (; columns->key; columns++)
		put_column(f, columns->key, rows, columns->put);
	json_end(&f->json);
}

static void cell_null(struct firefox *f, size_t row)
{
	(void)row;
	json_null(&f->json, NULL);
}

static void cell_none(struct firefox *f, size_t row)
{
	(void)row;
	json_int(&f->json, NULL, -1);
}

static void cell_0(struct firefox *f, size_t row)
{
	(void)row;
	json_uint(&f->json, NULL, 0);
}

static void cell_1(struct firefox *f, size_t row)
{
	(void)row;
	json_uint(&f->json, NULL, 1);
}

static void cell_false(struct firefox *f, size_t row)
{
	(void)row;
	json_bool(&f->json, NULL, false);
}

/* --- what all threads share -------------------------------------------------------------------------------------- */

/* Node 0, the empty stack, is none of the table's. */
static void cell_prefix(struct firefox *f, size_t row)
{
	uint32_t parent = f->stacks.nodes[row + 1].parent;

	if (parent)
		json_uint(&f->json, NULL, parent - 1);
	else
		json_null(&f->json, NULL);
}

static void cell_frame(struct firefox *f, size_t row)
{
	json_uint(&f->json, NULL, f->stacks.nodes[row + 1].address);
}

static void cell_inline_depth(struct firefox *f, size_t row)
{
	json_uint(&f->json, NULL, f->table.frames[row].inline_depth);
}

/* A frame of both modes' stacks has its caller's. */
static void cell_category(struct firefox *f, size_t row)
{
	if (f->modes[row] == IN_KERNEL)
		json_uint(&f->json, NULL, CATEGORY_KERNEL);
	else if (f->modes[row] == IN_USER)
		json_uint(&f->json, NULL, CATEGORY_USER);
	else
		json_null(&f->json, NULL);
}

static void cell_function(struct firefox *f, size_t row)
{
	json_uint(&f->json, NULL, f->table.frames[row].function);
}

static void cell_line(struct firefox *f, size_t row)
{
	if (f->table.frames[row].line)
		json_uint(&f->json, NULL, f->table.frames[row].line);
	else
		json_null(&f->json, NULL);
}

static void cell_name(struct firefox *f, size_t row)
{
	json_uint(&f->json, NULL, f->names[row]);
}

static void cell_source(struct firefox *f, size_t row)
{
	if (f->table.functions[row].file)
		json_uint(&f->json, NULL, f->sources[row]);
	else
		json_null(&f->json, NULL);
}

static void cell_filename(struct firefox *f, size_t row)
{
	json_uint(&f->json, NULL, f->filenames[row]);
}

static void cell_string(struct firefox *f, size_t row)
{
	json_text(&f->json, NULL, f->strings.texts[row]);
}

/* Names are found already, so no frame has an address that its program would look up in a library. */
static void put_shared(struct firefox *f)
{
	static const struct column stacks[] = {{"prefix", cell_prefix}, {"frame", cell_frame}, {0}};
	static const struct column frames[] = {
		{"address", cell_none},       {"inlineDepth", cell_inline_depth},
		{"category", cell_category},  {"subcategory", cell_0},
		{"func", cell_function},      {"nativeSymbol", cell_null},
		{"innerWindowID", cell_null}, {"line", cell_line},
		{"column", cell_null},        {0},
	};
	static const struct column functions[] = {
		{"name", cell_name},           {"isJS", cell_false},
		{"relevantForJS", cell_false}, {"resource", cell_none},
		{"source", cell_source},       {"lineNumber", cell_null},
		{"columnNumber", cell_null},   {0},
	};
	static const struct column resources[] = {
		{"lib", cell_null}, {"name", cell_0}, {"host", cell_null}, {"type", cell_0}, {0}};
	static const struct column symbols[] = {
		{"libIndex", cell_0}, {"address", cell_0}, {"name", cell_0}, {"functionSize", cell_null}, {0},
	};
	static const struct column sources[] = {
		{"id", cell_null},       {"filename", cell_filename}, {"startLine", cell_1},
		{"startColumn", cell_1}, {"sourceMapURL", cell_null}, {0},
	};

	json_object(&f->json, "shared");
	put_table(f, "stackTable", f->stacks.n - 1, stacks);
	put_table(f, "frameTable", f->table.nframes, frames);
	put_table(f, "funcTable", f->table.nfunctions, functions);
	put_table(f, "resourceTable", 0, resources);
	put_table(f, "nativeSymbols", 0, symbols);
	put_table(f, "sources", f->files.n, sources);
	put_column(f, "stringArray", f->strings.n, cell_string);
	json_end(&f->json);
}

/* --- a thread's samples ------------------------------------------------------------------------------------------ */

static void put_ms(struct firefox *f, const char *key, uint64_t ns)
{
	json_real(&f->json, key, firefox_ms(ns));
}

static void sample_stack(struct firefox *f, const struct timeline_sample *m)
{
	uint32_t leaf = f->leaves[(size_t)m->node * 2 + (m->user && m->node)];

	if (leaf)
		json_uint(&f->json, NULL, leaf - 1);
	else
		json_null(&f->json, NULL);
}

static void sample_time(struct firefox *f, const struct timeline_sample *m)
{
	put_ms(f, NULL, m->time_ns);
}

static void sample_cpu(struct firefox *f, const struct timeline_sample *m)
{
	json_uint(&f->json, NULL, m->cpu_ns);
}

static int put_sample_column(struct firefox *f, const struct timeline_vcpu *v, const char *key,
                             void (*put)(struct firefox *f, const struct timeline_sample *m))
{
	struct timeline_cursor cursor = {.timeline = &f->timeline, .vcpu = v};
	struct timeline_sample m;
	int rc;

	json_array(&f->json, key);
	while ((rc = timeline_next(&cursor, &m)) > 0)
		put(f, &m);
	json_end(&f->json);
	return rc;
}

static int put_samples(struct firefox *f, const struct timeline_vcpu *v)
{
	int rc;

	json_object(&f->json, "samples");
	json_uint(&f->json, "length", v->n);
	json_null(&f->json, "weight");
	json_text(&f->json, "weightType", "samples");
	rc = put_sample_column(f, v, "stack", sample_stack);
	if (rc == 0)
		rc = put_sample_column(f, v, "time", sample_time);
	if (rc == 0)
		rc = put_sample_column(f, v, "threadCPUDelta", sample_cpu);
	json_end(&f->json);
	return rc;
}

/* --- its markers ------------------------------------------------------------------------------------------------- */

static void marker_data(struct firefox *f, const struct marker *m)
{
	json_object(&f->json, NULL);
	if (m->kind == UPF_LOST) {
		json_text(&f->json, "type", firefox_markers[MARKER_LOST]);
		json_uint(&f->json, "samples", m->count);
		json_text(&f->json, "reason", upf_lost_text(m->code));
	} else if (m->kind == UPF_LATE) {
		json_text(&f->json, "type", firefox_markers[MARKER_LATE]);
		json_uint(&f->json, "deadlines", m->count);
	} else {
		json_text(&f->json, "type", firefox_markers[MARKER_DOMAIN]);
		json_text(&f->json, "event", upf_event_text(m->code));
		json_uint(&f->json, "value", m->count);
	}
	json_end(&f->json);
}

static void marker_name(struct firefox *f, const struct marker *m)
{
	json_uint(&f->json, NULL,
	          m->kind == UPF_LOST   ? MARKER_LOST
	          : m->kind == UPF_LATE ? MARKER_LATE
	                                : MARKER_DOMAIN);
}

static void marker_time(struct firefox *f, const struct marker *m)
{
	put_ms(f, NULL, m->time_ns);
}

static void marker_null(struct firefox *f, const struct marker *m)
{
	(void)m;
	json_null(&f->json, NULL);
}

static void marker_phase(struct firefox *f, const struct marker *m)
{
	(void)m;
	json_uint(&f->json, NULL, PHASE_INSTANT);
}

static void marker_category(struct firefox *f, const struct marker *m)
{
	(void)m;
	json_uint(&f->json, NULL, CATEGORY_OTHER);
}

/* The markers of the thread, @n of them; threads are asked for in order. */
static const struct marker *markers_of(struct firefox *f, const struct timeline_vcpu *v, size_t *n)
{
	*n = 0;
	while (f->next_marker < f->nmarkers && f->markers[f->next_marker].domain < v->domain)
		f->next_marker++;
	while (v->vcpu == 0 && f->next_marker + *n < f->nmarkers &&
	       f->markers[f->next_marker + *n].domain == v->domain)
		++*n;
	return *n ? &f->markers[f->next_marker] : NULL;
}

static void put_markers(struct firefox *f, const struct timeline_vcpu *v)
{
	static const struct {
		const char *key;
		void (*put)(struct firefox *f, const struct marker *m);
	} columns[] = {{"data", marker_data},    {"name", marker_name},   {"startTime", marker_time},
	               {"endTime", marker_null}, {"phase", marker_phase}, {"category", marker_category}};
	size_t n;
	const struct marker *markers = markers_of(f, v, &n);

	json_object(&f->json, "markers");
	json_uint(&f->json, "length", n);
	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		json_array(&f->json, columns[c].key);
		for (size_t i = 0; i < n; i++)
			columns[c].put(f, &markers[i]);
		json_end(&f->json);
	}
	json_end(&f->json);
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

static void put_ids(struct firefox *f, const struct timeline_vcpu *v, const char *domain)
{
	uint32_t domid = stacks_domid(&f->report->run->traces.session, v->domain);
	char pid[12], tid[24], name[16];

	snprintf(pid, sizeof(pid), "%u", domid);
	snprintf(tid, sizeof(tid), "%u/%u", domid, v->vcpu);
	snprintf(name, sizeof(name), "vCPU %u", v->vcpu);
	json_text(&f->json, "name", name);
	json_text(&f->json, "processName", domain);
	json_text(&f->json, "pid", pid);
	json_text(&f->json, "tid", tid);
	json_bool(&f->json, "isMainThread", v->vcpu == 0);
}

static int put_thread(struct firefox *f, const struct timeline_vcpu *v)
{
	const char *domain;
	int rc = stacks_domain_name(f->report->run, v->domain, &domain);

	if (rc != 0)
		return rc;
	json_object(&f->json, NULL);
	put_ids(f, v, domain);
	json_text(&f->json, "processType", "default");
	json_uint(&f->json, "processStartupTime", 0);
	json_null(&f->json, "processShutdownTime");
	json_uint(&f->json, "registerTime", 0);
	json_null(&f->json, "unregisterTime");
	json_array(&f->json, "pausedRanges");
	json_end(&f->json);
	json_bool(&f->json, "showMarkersInTimeline", true);
	rc = put_samples(f, v);
	put_markers(f, v);
	json_end(&f->json);
	return rc;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int put_file(struct firefox *f)
{
	int rc = 0;

	json_object(&f->json, NULL);
	firefox_meta(&f->json, &f->report->run->traces.session, recording_duration(f->report->run));
	json_array(&f->json, "libs");
	json_end(&f->json);
	put_shared(f);
	json_array(&f->json, "threads");
	for (size_t i = 0; rc == 0 && i < f->timeline.n; i++)
		rc = put_thread(f, &f->timeline.vcpus[i]);
	json_end(&f->json);
	json_end(&f->json);
	return rc;
}

static void clean_up(struct firefox *f)
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

static int run(const struct report *r, struct view_result *found)
{
	struct firefox f = {.report = r, .json.out = r->out.file};
	const struct load_hooks hooks = {.ctx = &f, .record = record};
	int rc;

	timeline_init(&f.timeline);
	rc = view_load(r, &hooks);
	if (rc == 0)
		rc = add_main_threads(&f);
	if (rc == 0)
		rc = make_tables(&f);
	if (rc == 0)
		rc = put_file(&f);
	if (f.timeline.failed)
		found->failed = TIMELINE_FILE;
	clean_up(&f);
	if (rc == 0)
		view_end(r, NULL, profile_count(&r->run->profile, r->selection->states));
	return rc;
}

const struct view view_firefox = {
	.name = "firefox",
	.help = "Firefox Profiler's format: one thread per vCPU, markers for lost samples: -o run.json.gz",
	.states = STATES_CPU,
	.gzip = true,
	.run = run,
};
