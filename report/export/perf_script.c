/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_script.c - every sample as perf-script(1) prints it, for the programs that read that: stackcollapse-perf.pl,
 * speedscope, Firefox Profiler, Perfetto. uniprof-report(1) has the grammar.
 *
 * Those programs parse with regular expressions: fields that end at a blank or parenthesis must not contain one.
 */
#include "common/say.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"
#include "report/output/text.h"

#include <inttypes.h>
#include <string.h>

struct script {
	const struct report *report;
	struct display_stacks stacks;
};

/* @text without what would end the field. */
static void put_word(FILE *out, const char *text)
{
	for (size_t n = strcspn(text, " ()");; n = strcspn(text, " ()")) {
		fwrite_unlocked(text, 1, n, out);
		text += n;
		if (!*text++)
			return;
		fputc_unlocked('_', out);
	}
}

static void print_frame(const struct script *s, const struct callchain_frame *f, const char *image)
{
	const struct function *function = &s->report->run->names.functions[f->function];
	FILE *out = s->report->out.file;

	fprintf(out, "\t%16" PRIx64 " ", f->address);
	fputs_unlocked(function->named ? function->name : "[unknown]", out);
	if (function->named && display_is_code(f))
		fprintf(out, "+0x%" PRIx64, f->offset);
	fputs_unlocked(" (", out);
	put_word(out, image);
	fputs_unlocked(")\n", out);
}

/* The period of a sample is its weight. */
static void put_event(const struct script *s, const struct upf_record *rec, const char *domain)
{
	uint64_t us = (s->report->run->traces.session.start_mono_ns + rec->time_ns) / 1000;
	uint64_t period = profile_sample_weight(&s->report->run->profile, rec, s->report->selection->weight);
	uint32_t pid = stacks_pid(&s->report->run->traces.session, rec->domain);
	FILE *out = s->report->out.file;

	put_word(out, domain);
	fprintf(out, ":vcpu%u %u/%u [%03u] %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " vcpu-clock:\n", rec->vcpu, pid,
	        rec->vcpu, rec->vcpu, us / 1000000, us % 1000000, period);
}

static int print_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct script *s = ctx;
	const char *domain, *image;
	int rc;

	(void)b;
	if (rec->kind != UPF_SAMPLE || !counters_among(s->report->selection->states, rec->state))
		return 0;
	rc = stacks_domain_name(s->report->run, rec->domain, &domain);
	if (rc == 0)
		rc = stacks_image(s->report->run, rec->domain, &image);
	if (rc == 0)
		rc = stacks_make(&s->stacks, rec->domain, node, rec->user);
	if (rc != 0)
		return rc;
	put_event(s, rec, domain);
	for (size_t i = s->stacks.chain.n; i-- > 0;)
		print_frame(s, &s->stacks.chain.frames[i], image);
	fputc('\n', s->report->out.file);
	return 0;
}

/* As perf's own begins: programs that look at a file's first line know it by that. */
static void print_script_head(const struct report *r)
{
	const struct upf_session *session = &r->run->traces.session;
	const struct {
		const char *label, *text;
	} lines[] = {
		{"hostname", session->host},
		{"hypervisor", session->hypervisor},
		{"recorded by", session->recorder},
		{"cmdline", session->command},
	};

	fputs("# ========\n", r->out.file);
	fprintf(r->out.file, "# captured on    : %s\n", text_utc(session->start_real_ns).s);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fprintf(r->out.file, "# %-15s: ", lines[i].label);
		print_safe(r->out.file, lines[i].text ? lines[i].text : "?");
		fputc('\n', r->out.file);
	}
	fputs("# ========\n#\n", r->out.file);
}

static int run_perf_script(const struct report *r, struct view_result *found)
{
	struct script s = {.report = r, .stacks = stacks_of(r->run)};
	const struct load_hooks hooks = {.ctx = &s, .flushed = r->out.file, .record = print_record};
	int rc;

	(void)found;
	print_script_head(r);
	rc = view_load(r, &hooks);
	display_stacks_free(&s.stacks);
	return view_exported(r, rc);
}

const struct view view_perf_script = {
	.name = "perf-script",
	.help = "every sample as perf script prints it, for stackcollapse-perf.pl, speedscope, Firefox Profiler, "
		"Perfetto",
	.states = STATES_CPU,
	.run = run_perf_script,
};
