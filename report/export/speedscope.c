/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope.c - speedscope's file (www.speedscope.app/file-format-schema.json): one "sampled" profile per vCPU, in
 * nanoseconds.
 *
 * A sample weighs the time that it stands for, or with --weight cpu the CPU time used since the previous one, so that
 * shares are those of the flat profile. It begins as many periods before its own as it stands for more than one. Time
 * without a counted sample is an empty stack, so that the time axis is right as well: deadlines are jittered by less
 * than a period, so a longer gap means lost or idle.
 */
#include "report/export/frame_table.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "report/export/timeline.h"
#include "report/output/json_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct speedscope {
	const struct report *report;
	struct json json;
	struct timeline timeline;
	struct frame_table table;
	struct display_stacks stacks;
};

static int note_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct speedscope *s = ctx;

	(void)b;
	return timeline_add_record(&s->timeline, s->report, rec, node);
}

/* --- stretches of one stack -------------------------------------------------------------------------------------- */

/* Time in which the stack is the same; @idle: there is none. */
struct stretch {
	uint32_t node;
	bool user, idle;
	uint64_t ns;
};

/* Iterates over the stretches of a vCPU's samples; gives the same ones each time. */
struct stretches {
	struct timeline_cursor cursor;
	struct timeline_sample ahead;
	int rc; /* of the sample ahead */
	uint64_t now, period;
	bool by_cpu; /* a sample weighs its CPU time, not a period */
};

static void start_stretches(struct stretches *s, struct speedscope *from, const struct timeline_vcpu *v)
{
	*s = (struct stretches){.cursor = {.timeline = &from->timeline, .vcpu = v},
	                        .period = stacks_period(&from->report->run->traces.session),
	                        .by_cpu = from->report->selection->weight == WEIGHT_CPU};
	s->rc = timeline_next(&s->cursor, &s->ahead);
}

/* When the sample ahead begins: at its time if it stands for a period. */
static uint64_t beginning(const struct stretches *s)
{
	uint64_t before = s->ahead.span_ns > s->period ? s->ahead.span_ns - s->period : 0;

	return s->ahead.time_ns > before ? s->ahead.time_ns - before : 0;
}

static bool is_gap(const struct stretches *s)
{
	return beginning(s) > s->now && beginning(s) - s->now >= s->period;
}

/* 1 and *@out, 0 at the end, or a negative errno. */
static int next(struct stretches *s, struct stretch *out)
{
	if (s->rc <= 0)
		return s->rc;
	*out = (struct stretch){.node = s->ahead.node, .user = s->ahead.user, .idle = is_gap(s)};
	if (out->idle) {
		out->ns = beginning(s) - s->now;
		s->now += out->ns;
		return 1;
	}
	do {
		uint64_t weight = s->by_cpu ? s->ahead.cpu_ns : s->ahead.span_ns;

		out->ns += weight;
		s->now += weight;
		s->rc = timeline_next(&s->cursor, &s->ahead);
	} while (s->rc > 0 && !is_gap(s) && s->ahead.node == out->node && s->ahead.user == out->user);
	return 1;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int add_frames(void *ctx, const struct stack *stack, const struct callchain *c)
{
	struct speedscope *s = ctx;

	(void)stack;
	return frame_table_chain(&s->table, c);
}

/* Functions are its frames: by lines it would show a function as many. */
static int put_shared_frames(struct speedscope *s)
{
	int rc = stacks_each(s->report->run, s->report->selection->states, add_frames, s);

	json_object(&s->json, "shared");
	json_array(&s->json, "frames");
	for (size_t i = 0; rc == 0 && i < s->table.nfunctions; i++) {
		const struct table_function *f = &s->table.functions[i];

		json_object(&s->json, NULL);
		json_text(&s->json, "name", s->report->run->names.functions[f->function].name);
		if (f->file)
			json_text(&s->json, "file", f->file);
		json_end(&s->json);
	}
	json_end(&s->json);
	json_end(&s->json);
	return rc;
}

static int put_stretch_stack(struct speedscope *s, uint32_t domain, const struct stretch *stretch)
{
	int rc = 0;

	json_array(&s->json, NULL);
	if (!stretch->idle) {
		rc = stacks_make(&s->stacks, domain, stretch->node, stretch->user);
		if (rc == 0)
			rc = frame_table_chain(&s->table, &s->stacks.chain);
		for (size_t i = 0; rc == 0 && i < s->stacks.chain.n; i++)
			json_uint(&s->json, NULL, s->table.frames[s->table.ids[i]].function);
	}
	json_end(&s->json);
	return rc;
}

static int put_stretch_stacks(struct speedscope *s, const struct timeline_vcpu *v)
{
	struct stretches stretches;
	struct stretch stretch;
	int rc;

	json_array(&s->json, "samples");
	for (start_stretches(&stretches, s, v); (rc = next(&stretches, &stretch)) > 0;)
		if ((rc = put_stretch_stack(s, v->domain, &stretch)) != 0)
			break;
	json_end(&s->json);
	return rc;
}

static int put_stretch_weights(struct speedscope *s, const struct timeline_vcpu *v, uint64_t *end)
{
	struct stretches stretches;
	struct stretch stretch;
	int rc;

	json_array(&s->json, "weights");
	for (start_stretches(&stretches, s, v); (rc = next(&stretches, &stretch)) > 0;)
		json_uint(&s->json, NULL, stretch.ns);
	json_end(&s->json);
	*end = stretches.now;
	return rc;
}

static int put_vcpu_profile(struct speedscope *s, const struct timeline_vcpu *v)
{
	uint64_t end = 0, from_ns, to_ns;
	const char *domain;
	char *name;
	int rc = stacks_domain_name(s->report->run, v->domain, &domain);

	if (rc != 0)
		return rc;
	if (asprintf(&name, "%s vCPU %u", domain, v->vcpu) < 0)
		return -ENOMEM;
	json_object(&s->json, NULL);
	json_text(&s->json, "type", "sampled");
	json_text(&s->json, "name", name);
	json_text(&s->json, "unit", "nanoseconds");
	rc = put_stretch_stacks(s, v);
	if (rc == 0)
		rc = put_stretch_weights(s, v, &end);
	json_uint(&s->json, "startValue", 0);
	traces_range(&s->report->run->traces, TRACES_DOMAINS, &from_ns, &to_ns);
	json_uint(&s->json, "endValue", end > to_ns ? end : to_ns);
	json_end(&s->json);
	free(name);
	return rc;
}

/* A file has to have a profile. */
static int put_profiles(struct speedscope *s)
{
	const struct timeline_vcpu none = {0};
	int rc = 0;

	timeline_sort(&s->timeline);
	json_array(&s->json, "profiles");
	for (size_t i = 0; rc == 0 && i < s->timeline.n; i++)
		rc = put_vcpu_profile(s, &s->timeline.vcpus[i]);
	if (s->timeline.n == 0)
		rc = put_vcpu_profile(s, &none);
	json_end(&s->json);
	return rc;
}

static int put_speedscope(struct speedscope *s)
{
	int rc;

	json_object(&s->json, NULL);
	json_text(&s->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(&s->json, "exporter", "uniprof-report");
	json_text(&s->json, "name", s->report->run->traces.list[0].path);
	json_uint(&s->json, "activeProfileIndex", 0);
	rc = put_shared_frames(s);
	if (rc == 0)
		rc = put_profiles(s);
	if (rc == 0)
		json_end(&s->json);
	return rc;
}

static int run_speedscope(const struct report *r, struct view_result *found)
{
	struct speedscope s = {.report = r, .json.out = r->out.file, .stacks = stacks_of(r->run)};
	const struct load_hooks hooks = {.ctx = &s, .record = note_record};
	int rc;

	timeline_init(&s.timeline);
	rc = view_load(r, &hooks);
	if (rc == 0)
		rc = put_speedscope(&s);
	if (s.timeline.failed)
		found->failed = TIMELINE_FILE;
	timeline_free(&s.timeline);
	frame_table_free(&s.table);
	display_stacks_free(&s.stacks);
	return view_exported(r, rc);
}

const struct view view_speedscope = {
	.name = "speedscope",
	.help = "speedscope's format: one timeline per vCPU",
	.states = STATES_CPU,
	.run = run_speedscope,
};
