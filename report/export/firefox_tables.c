/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_tables.c - the tables of stacks, frames, functions, files and texts, which all threads share; and of each
 * thread, which is a vCPU, those of its samples and markers.
 */
#include "report/export/firefox_tables.h"

#include "common/array.h"
#include "report/export/export_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *const firefox_markers[FIREFOX_MARKERS] = {"Lost", "Late", "Domain"};

enum { IN_KERNEL = 1, IN_USER = 2 }; /* stacks that contain a frame */

/* --- tables ------------------------------------------------------------------------------------------------------ */

static int note_mode(struct firefox *f, uint32_t frame, bool user)
{
	int rc = array_room_zeroed(&f->modes, &f->modes_cap, frame, sizeof(*f->modes));

	if (rc == 0)
		f->modes[frame] |= user ? IN_USER : IN_KERNEL;
	return rc;
}

static int add_firefox_stack(void *ctx, const struct stack *s, const struct callchain *c)
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

int firefox_make_tables(struct firefox *f)
{
	int rc = calltree_init(&f->stacks);

	if (rc != 0)
		return rc;
	f->leaves = calloc(f->report->run->profile.tree.n, 2 * sizeof(*f->leaves));
	rc = f->leaves ? stacks_each(f->report->run, f->report->selection->states, add_firefox_stack, f) : -ENOMEM;
	return rc == 0 ? add_strings(f) : rc;
}

/* --- a table's columns ------------------------------------------------------------------------------------------- */

typedef void put_cell(struct firefox *f, size_t row);

static void put_firefox_column(struct firefox *f, const char *key, size_t rows, put_cell *put)
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
static void put_firefox_table(struct firefox *f, const char *key, size_t rows, const struct column *columns)
{
	json_object(&f->json, key);
	json_uint(&f->json, "length", rows);
	for (; columns->key; columns++)
		put_firefox_column(f, columns->key, rows, columns->put);
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
void firefox_put_shared(struct firefox *f)
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
	put_firefox_table(f, "stackTable", f->stacks.n - 1, stacks);
	put_firefox_table(f, "frameTable", f->table.nframes, frames);
	put_firefox_table(f, "funcTable", f->table.nfunctions, functions);
	put_firefox_table(f, "resourceTable", 0, resources);
	put_firefox_table(f, "nativeSymbols", 0, symbols);
	put_firefox_table(f, "sources", f->files.n, sources);
	put_firefox_column(f, "stringArray", f->strings.n, cell_string);
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

static void sample_weight(struct firefox *f, const struct timeline_sample *m)
{
	put_ms(f, NULL, f->report->selection->weight == WEIGHT_CPU ? m->cpu_ns : m->span_ns);
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

static int put_thread_samples(struct firefox *f, const struct timeline_vcpu *v)
{
	bool alike = profile_unit(&f->report->run->profile, NULL, f->report->selection->weight) == UNIT_SAMPLES;
	int rc = 0;

	json_object(&f->json, "samples");
	json_uint(&f->json, "length", v->n);
	if (alike)
		json_null(&f->json, "weight");
	else
		rc = put_sample_column(f, v, "weight", sample_weight);
	json_text(&f->json, "weightType", alike ? "samples" : "tracing-ms");
	if (rc == 0)
		rc = put_sample_column(f, v, "stack", sample_stack);
	if (rc == 0)
		rc = put_sample_column(f, v, "time", sample_time);
	if (rc == 0)
		rc = put_sample_column(f, v, "threadCPUDelta", sample_cpu);
	json_end(&f->json);
	return rc;
}

/* --- its markers ------------------------------------------------------------------------------------------------- */

static void cell_marker_data(struct firefox *f, size_t row)
{
	const struct marker *m = &f->markers[f->next_marker + row];

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

static void cell_marker_name(struct firefox *f, size_t row)
{
	uint8_t kind = f->markers[f->next_marker + row].kind;

	json_uint(&f->json, NULL, kind == UPF_LOST ? MARKER_LOST : kind == UPF_LATE ? MARKER_LATE : MARKER_DOMAIN);
}

static void cell_marker_time(struct firefox *f, size_t row)
{
	put_ms(f, NULL, f->markers[f->next_marker + row].time_ns);
}

/* How many markers the thread has, from f->next_marker on; threads are asked for in order. */
static size_t find_markers(struct firefox *f, const struct timeline_vcpu *v)
{
	size_t n = 0;

	while (f->next_marker < f->nmarkers && f->markers[f->next_marker].domain < v->domain)
		f->next_marker++;
	while (v->vcpu == 0 && f->next_marker + n < f->nmarkers && f->markers[f->next_marker + n].domain == v->domain)
		n++;
	return n;
}

/* They are instants (phase 0) of the category "Other". */
static void put_markers(struct firefox *f, const struct timeline_vcpu *v)
{
	static const struct column columns[] = {
		{"data", cell_marker_data},
		{"name", cell_marker_name},
		{"startTime", cell_marker_time},
		{"endTime", cell_null},
		{"phase", cell_0},
		{"category", cell_0},
		{0},
	};

	put_firefox_table(f, "markers", find_markers(f, v), columns);
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

static void put_ids(struct firefox *f, const struct timeline_vcpu *v, const char *domain)
{
	uint32_t number = stacks_pid(&f->report->run->traces.session, v->domain);
	char pid[12], tid[24], name[16];

	snprintf(pid, sizeof(pid), "%u", number);
	snprintf(tid, sizeof(tid), "%u/%u", number, v->vcpu);
	snprintf(name, sizeof(name), "vCPU %u", v->vcpu);
	json_text(&f->json, "name", name);
	json_text(&f->json, "processName", domain);
	json_text(&f->json, "pid", pid);
	json_text(&f->json, "tid", tid);
	json_bool(&f->json, "isMainThread", v->vcpu == 0);
}

int firefox_put_thread(struct firefox *f, const struct timeline_vcpu *v)
{
	uint64_t from_ns, to_ns;
	const char *domain;
	int rc = stacks_domain_name(f->report->run, v->domain, &domain);

	traces_range(&f->report->run->traces, v->domain, &from_ns, &to_ns);
	if (rc != 0)
		return rc;
	json_object(&f->json, NULL);
	put_ids(f, v, domain);
	json_text(&f->json, "processType", "default");
	put_ms(f, "processStartupTime", from_ns);
	json_null(&f->json, "processShutdownTime");
	put_ms(f, "registerTime", from_ns);
	json_null(&f->json, "unregisterTime");
	json_array(&f->json, "pausedRanges");
	json_end(&f->json);
	json_bool(&f->json, "showMarkersInTimeline", true);
	rc = put_thread_samples(f, v);
	put_markers(f, v);
	json_end(&f->json);
	return rc;
}
