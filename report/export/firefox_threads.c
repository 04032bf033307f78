/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_threads.c - a thread: the samples of a vCPU, and its markers. */
#include "report/export/firefox.h"

#include "report/export/export_stacks.h"
#include "report/export/firefox_meta.h"

#include <stdio.h>

#define PHASE_INSTANT 0

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
