/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.c - everything that the report knows, as JSON for programs. docs/json.md is the schema; it has its own version.
 *
 * Stacks refer to frames, and frames to functions, by their index in a table.
 */
#include "report/export/frame_table.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "report/output/json_writer.h"
#include "report/output/text.h"
#include "report/view/quality.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SCHEMA_VERSION 1 /* docs/json.md, "Versions" */

struct document {
	const struct report *report;
	struct json json;
	const struct fold *fold;
	struct frame_table table;
	uint32_t *numbers; /* of the names' functions: their numbers here, or NO_NUMBER */
};

/* Omits the key if the text is not known. */
static void put_known(struct json *j, const char *key, const char *text)
{
	if (text && *text)
		json_text(j, key, text);
}

/* --- where it comes from ----------------------------------------------------------------------------------------- */

static void put_trace(struct document *d)
{
	const struct report *r = d->report;
	const struct upf_session *s = &r->run->traces.session;
	const struct upf_health health = traces_health(&r->run->traces);
	char faults[256];

	quality_faults(&health, r->run->profile.counters.bad_blocks, faults, sizeof(faults));
	json_object(&d->json, "trace");
	json_text(&d->json, "start", text_utc(s->start_real_ns).s);
	json_uint(&d->json, "duration_ns", recording_duration(r->run));
	json_real(&d->json, "rate_hz", (double)s->rate_mhz / 1e3);
	json_uint(&d->json, "max_stack", s->max_stack);
	put_known(&d->json, "command", s->command);
	put_known(&d->json, "recorder", s->recorder);
	put_known(&d->json, "host", s->host);
	put_known(&d->json, "hypervisor", s->hypervisor);
	json_bool(&d->json, "whole", recording_sound(r->run));
	put_known(&d->json, "faults", faults);
	json_end(&d->json);
}

static void put_one_trace(struct json *j, const struct trace *t)
{
	const struct upf_session *s = upf_reader_session(t->reader);
	char faults[256];

	quality_faults(upf_reader_health(t->reader), t->bad_blocks, faults, sizeof(faults));
	json_object(j, NULL);
	json_text(j, "file", t->path);
	json_text(j, "id", text_trace_id(s->trace_id).s);
	json_text(j, "start", text_utc(s->start_real_ns).s);
	json_real(j, "rate_hz", (double)s->rate_mhz / 1e3);
	put_known(j, "command", s->command);
	put_known(j, "host", s->host);
	put_known(j, "hypervisor", s->hypervisor);
	json_uint(j, "overlapping", t->covered_samples);
	json_bool(j, "whole", trace_sound(t));
	put_known(j, "faults", faults);
	json_end(j);
}

/* In the order of time. */
static void put_traces(struct document *d)
{
	const struct traces *t = &d->report->run->traces;

	json_array(&d->json, "traces");
	for (size_t i = 0; i < t->n; i++)
		put_one_trace(&d->json, &t->list[i]);
	json_end(&d->json);
}

static void put_json_domain(struct json *j, const struct upf_domain *d)
{
	json_object(j, NULL);
	json_uint(j, "id", d->id);
	put_known(j, "name", d->name);
	json_text(j, "uuid", text_uuid(d->uuid).s);
	json_text(j, "kind", upf_kind_text(d->kind));
	json_text(j, "arch", upf_arch_text(d->arch));
	json_uint(j, "vcpus", d->vcpus);
	put_known(j, "sampler", d->live ? "live" : NULL);
	put_known(j, "image", d->image);
	put_known(j, "build_id", d->build_id);
	json_end(j);
}

static void put_domains(struct document *d)
{
	const struct upf_session *s = &d->report->run->traces.session;

	json_array(&d->json, "domains");
	for (size_t i = 0; i < s->ndomains; i++)
		put_json_domain(&d->json, &s->domains[i]);
	json_end(&d->json);
}

/* --- what it rests on -------------------------------------------------------------------------------------------- */

static void put_states(struct json *j, const uint64_t states[COUNTERS_STATES])
{
	json_object(j, "states");
	for (unsigned i = 0; i < COUNTERS_STATES; i++)
		json_uint(j, upf_state_text(i), states[i]);
	json_end(j);
}

static void put_lost_counts(struct json *j, const struct counters *t)
{
	json_object(j, "lost");
	json_uint(j, "total", counters_lost(t));
	json_array(j, "reasons");
	for (unsigned i = 0; i < COUNTERS_LOST; i++) {
		if (t->lost[i] == 0)
			continue;
		json_object(j, NULL);
		json_text(j, "reason", upf_lost_text(i));
		json_uint(j, "samples", t->lost[i]);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static void put_pauses(struct json *j, const struct upf_hist *h)
{
	json_object(j, "pauses");
	json_uint(j, "count", h->count);
	json_uint(j, "total_ns", h->sum_ns);
	json_uint(j, "p50_ns", upf_hist_quantile(h, 500));
	json_uint(j, "p99_ns", upf_hist_quantile(h, 990));
	json_uint(j, "max_ns", h->max_ns);
	json_end(j);
}

static const char *const weight_names[] = {
	[UNIT_SAMPLES] = "samples", [UNIT_PERIODS] = "periods", [UNIT_TIME] = "time_ns", [UNIT_CPU] = "cpu_ns"};

static void put_totals(struct document *d)
{
	const struct counters *t = &d->report->run->profile.counters;

	json_object(&d->json, "totals");
	json_uint(&d->json, "samples", t->samples);
	json_uint(&d->json, "counted", profile_count(&d->report->run->profile, d->report->selection->states));
	json_text(&d->json, "weight", weight_names[d->fold->unit]);
	json_uint(&d->json, "total", d->fold->total[FOLD_NEW]);
	json_real(&d->json, "independent_samples", d->fold->effective[FOLD_NEW]);
	put_states(&d->json, t->state);
	put_lost_counts(&d->json, t);
	json_uint(&d->json, "late", t->late);
	json_uint(&d->json, "rounds", t->rounds);
	put_pauses(&d->json, &t->pause);
	json_end(&d->json);
}

static int put_vcpus(struct document *d)
{
	struct vcpu_list vcpus;
	int rc = profile_vcpus(&d->report->run->profile, &vcpus);

	json_array(&d->json, "vcpus");
	for (size_t i = 0; i < vcpus.n; i++) {
		json_object(&d->json, NULL);
		json_uint(&d->json, "domain", vcpus.v[i].domain);
		json_uint(&d->json, "vcpu", vcpus.v[i].vcpu);
		put_states(&d->json, vcpus.v[i].state);
		json_end(&d->json);
	}
	json_end(&d->json);
	hash_array_free(&vcpus.by_vcpu);
	return rc;
}

/* --- the profile ------------------------------------------------------------------------------------------------- */

#define NO_NUMBER UINT32_MAX

static struct fold_weights weights_of(const struct document *d, size_t function)
{
	return function < d->fold->nfunctions ? d->fold->functions[function] : (struct fold_weights){0};
}

/* Numbers the functions of all stacks, also of those that weigh nothing and so are not in the fold, and the fold's. */
static int number_functions(struct document *d)
{
	size_t all = d->report->run->names.nfunctions;
	uint32_t n = 0;

	d->numbers = malloc((all + 1) * sizeof(*d->numbers));
	if (!d->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++)
		d->numbers[i] = weights_of(d, i).total[FOLD_NEW] ? 0 : NO_NUMBER;
	for (size_t i = 0; i < d->table.nfunctions; i++)
		d->numbers[d->table.functions[i].function] = 0;
	for (size_t i = 0; i < all; i++)
		if (d->numbers[i] != NO_NUMBER)
			d->numbers[i] = n++;
	return 0;
}

static void put_functions(struct document *d)
{
	const struct symbolizer *names = &d->report->run->names;

	json_array(&d->json, "functions");
	for (size_t i = 0; i < names->nfunctions; i++) {
		const struct fold_weights weights = weights_of(d, i);

		if (d->numbers[i] == NO_NUMBER)
			continue;
		json_object(&d->json, NULL);
		json_text(&d->json, "name", names->functions[i].name);
		json_bool(&d->json, "named", names->functions[i].named);
		json_uint(&d->json, "self", weights.self[FOLD_NEW]);
		json_uint(&d->json, "total", weights.total[FOLD_NEW]);
		json_real(&d->json, "self_error", fold_error(d->fold, weights.self[FOLD_NEW]));
		json_real(&d->json, "total_error", fold_error(d->fold, weights.total[FOLD_NEW]));
		json_end(&d->json);
	}
	json_end(&d->json);
}

static int put_json_stack(void *ctx, const struct stack *s, const struct callchain *c)
{
	struct document *d = ctx;
	int rc = frame_table_chain(&d->table, c);

	if (rc != 0)
		return rc;
	json_object(&d->json, NULL);
	json_uint(&d->json, "domain", s->domain);
	json_uint(&d->json, "vcpu", s->vcpu);
	json_text(&d->json, "state", upf_state_text(s->state));
	json_bool(&d->json, "user", stack_is_user(s));
	json_uint(&d->json, "samples", s->samples);
	json_uint(&d->json, "cpu_ns", s->cpu_ns);
	json_uint(&d->json, "time_ns", stacks_time(d->report->run, s));
	json_array(&d->json, "frames");
	for (size_t i = 0; i < c->n; i++)
		json_uint(&d->json, NULL, d->table.ids[i]);
	json_end(&d->json);
	json_end(&d->json);
	return 0;
}

static void put_json_frame(struct document *d, const struct table_frame *f)
{
	const struct table_function *function = &d->table.functions[f->function];
	char address[20];

	json_object(&d->json, NULL);
	json_uint(&d->json, "function", d->numbers[function->function]);
	if (f->address) {
		snprintf(address, sizeof(address), "0x%" PRIx64, f->address);
		json_text(&d->json, "address", address);
		json_uint(&d->json, "offset", f->offset);
	}
	put_known(&d->json, "file", function->file);
	if (f->line)
		json_uint(&d->json, "line", f->line);
	if (f->inline_depth)
		json_uint(&d->json, "inline_depth", f->inline_depth);
	json_end(&d->json);
}

static int put_stacks(struct document *d)
{
	int rc;

	json_array(&d->json, "stacks");
	rc = stacks_each(d->report->run, d->report->selection->states, put_json_stack, d);
	json_end(&d->json);
	return rc;
}

static void put_json_frames(struct document *d)
{
	json_array(&d->json, "frames");
	for (size_t i = 0; i < d->table.nframes; i++)
		put_json_frame(d, &d->table.frames[i]);
	json_end(&d->json);
}

static int put_json_profile(struct document *d)
{
	int rc = put_stacks(d);

	if (rc == 0)
		rc = number_functions(d);
	if (rc != 0)
		return rc;
	put_json_frames(d);
	put_functions(d);
	return 0;
}

static int put_document(struct document *d)
{
	int rc;

	json_object(&d->json, NULL);
	json_text(&d->json, "format", "uniprof-report");
	json_uint(&d->json, "version", SCHEMA_VERSION);
	put_trace(d);
	put_traces(d);
	put_domains(d);
	put_totals(d);
	rc = put_vcpus(d);
	if (rc == 0)
		rc = put_json_profile(d);
	json_end(&d->json);
	return rc;
}

static int write_json(const struct report *r, struct fold *fold)
{
	struct document d = {.report = r, .fold = fold, .json.out = r->out.file};
	int rc = put_document(&d);

	frame_table_free(&d.table);
	free(d.numbers);
	return view_exported(r, rc);
}

const struct view view_json = {
	.name = "json",
	.help = "everything, for programs, by a documented schema",
	.endings = {".json"},
	.states = STATES_CPU,
	.takes = VIEW_NOISE,
	.write = write_json,
};
