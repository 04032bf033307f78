/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox.c - Firefox Profiler's processed profile (github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md), gzipped JSON: a domain is a process, a vCPU is a thread.
 *
 * A table is an object with one array per column. Events of a domain, such as lost samples, are markers of its vCPU 0.
 */
#include "report/export/firefox.h"

#include "common/array.h"
#include "report/export/export_stacks.h"
#include "report/export/firefox_meta.h"

#include <stdlib.h>

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
	const struct timeline_sample m = {.time_ns = rec->time_ns,
	                                  .cpu_ns = rec->cpu_ns,
	                                  .span_ns = stacks_span(f->report->run, f->report->selection, rec),
	                                  .node = node,
	                                  .user = rec->user};

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

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int put_profile_file(struct firefox *f)
{
	int rc = 0;

	json_object(&f->json, NULL);
	firefox_meta(&f->json, &f->report->run->traces);
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
