/* SPDX-License-Identifier: BSD-2-Clause */
/* view_header.c - what was recorded, how and where. Reads only the header of the trace. */
#include "report/output/text.h"
#include "report/view/view.h"

#include "common/say.h"

#include <inttypes.h>

static void field(const struct report *r, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(r->out.file, "%-11s ", label);
	print_safe(r->out.file, value);
	fputc('\n', r->out.file);
}

static void print_id(const struct report *r, const struct trace *t)
{
	fprintf(r->out.file, "%-11s %s, format %u.%u\n", "trace id",
	        text_trace_id(upf_reader_session(t->reader)->trace_id).s, upf_reader_major(t->reader),
	        upf_reader_minor(t->reader));
}

static void print_domain(const struct report *r, const struct upf_domain *d)
{
	fprintf(r->out.file, "\n%-11s %" PRIu32 "\n", "domain", d->id);
	field(r, "name", d->name);
	field(r, "uuid", text_uuid(d->uuid).s);
	field(r, "kind", upf_kind_text(d->kind));
	field(r, "arch", upf_arch_text(d->arch));
	fprintf(r->out.file, "%-11s %" PRIu32 "\n", "vcpus", d->vcpus);
	field(r, "sampled", d->live ? "live: without a stop" : NULL);
	field(r, "image", d->image);
	if (d->image && (!d->build_id || d->build_address))
		fprintf(r->out.file, "%-11s named by the host, not by the user\n", "");
	field(r, "build-id", d->build_id);
	if (d->build_id && d->build_address)
		fprintf(r->out.file, "%-11s in its memory, at %#" PRIx64 "\n", "", d->build_address);
}

static void print_tops(const struct report *r, const struct upf_session *s)
{
	switch (s->tops) {
	case UPF_TOPS_NONE:
		field(r, "stacks", "by frame pointers");
		break;
	case UPF_TOPS_WINDOW:
		fprintf(r->out.file, "%-11s by frame pointers, with up to %" PRIu32 " bytes at the top\n", "stacks",
		        s->tops_size);
		break;
	case UPF_TOPS_COPY:
		fprintf(r->out.file, "%-11s copies of up to %" PRIu32 " bytes, to be unwound\n", "stacks",
		        s->tops_size);
		break;
	case UPF_TOPS_MIXED:
		fprintf(r->out.file,
		        "%-11s by frame pointers, with up to %" PRIu32 " bytes at the top; "
		        "where these fail, copies of up to %" PRIu32 " bytes, to be unwound\n",
		        "stacks", s->tops_size, s->copy_size);
		break;
	default:
		fprintf(r->out.file, "%-11s of a kind not known here: %u\n", "stacks", s->tops);
	}
}

static void print_trace_header(const struct report *r, const struct trace *t)
{
	const struct upf_session *s = upf_reader_session(t->reader);

	field(r, "recorder", s->recorder);
	field(r, "command", s->command);
	field(r, "host", s->host);
	field(r, "hypervisor", s->hypervisor);
	field(r, "started", text_utc(s->start_real_ns).s);
	fprintf(r->out.file, "%-11s %.10g Hz\n", "rate", (double)s->rate_mhz / 1000);
	fprintf(r->out.file, "%-11s %" PRIu32 " frames\n", "max stack", s->max_stack);
	print_tops(r, s);
	if (s->archived)
		field(r, "archive", "with names, source lines, code and unwound stacks");
	print_id(r, t);
	for (size_t i = 0; i < s->ndomains; i++)
		print_domain(r, &s->domains[i]);
}

static int run_header(const struct report *r, struct view_result *found)
{
	(void)found;
	for (size_t i = 0; i < r->run->traces.n; i++) {
		if (r->run->traces.n > 1) {
			fputs(i ? "\n" : "", r->out.file);
			field(r, "trace", r->run->traces.list[i].path);
		}
		print_trace_header(r, &r->run->traces.list[i]);
	}
	return 0;
}

const struct view view_header = {
	.name = "header",
	.help = "what was recorded: command line, host, hypervisor, start, domains",
	.states = STATES_ALL,
	.run = run_header,
};
