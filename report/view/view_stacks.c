/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_stacks.c - every stack in sampling order, in the format of uniprof 1.2, which stackcollapse.pl reads: two lines
 * of comment and an empty line; then for each stack one line per frame, leaf first, a line 1 (whole) or 0 (truncated),
 * and an empty line.
 */
#include "report/view/view.h"
#include "report/output/text.h"

#include "common/say.h"

struct stack_printer {
	const struct report *report;
	struct callchain chain;
};

static int print_record_stack(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct stack_printer *l = ctx;
	const struct report *r = l->report;
	int rc;

	(void)b;
	if (rec->kind != UPF_SAMPLE || !counters_among(r->selection->states, rec->state))
		return 0;
	rc = filter_callchain(&l->chain, &r->run->profile, &r->run->names, node, rec->user);
	if (rc != 0)
		return rc;
	view_frames(r, &l->chain, "", "\n");
	fputs_unlocked(rec->end == UPF_END_ROOT ? "1\n\n" : "0\n\n", r->out.file);
	return 0;
}

static void print_stacks_head(const struct report *r)
{
	const struct upf_session *s = &r->run->traces.session;

	fputs("# uniprof stacks of", r->out.file);
	for (size_t i = 0; i < s->ndomains; i++) {
		fputs(i ? ", " : " ", r->out.file);
		print_safe(r->out.file, s->domains[i].name ? s->domains[i].name : "?");
		fprintf(r->out.file, " (domain %u)", s->domains[i].id);
	}
	fprintf(r->out.file, ", from %s\n", text_utc(s->start_real_ns).s);
	fputs("# leaf first; each stack ends with 1 (whole) or 0 (cut short)\n\n", r->out.file);
}

static int run_stacks(const struct report *r, struct view_result *found)
{
	struct stack_printer l = {.report = r};
	const struct load_hooks hooks = {.ctx = &l, .flushed = r->out.file, .record = print_record_stack};
	int rc;

	(void)found;
	print_stacks_head(r);
	rc = view_load(r, &hooks);
	callchain_free(&l.chain);
	if (rc == 0)
		view_notes(r, NULL);
	return rc;
}

const struct view view_stacks = {
	.name = "stacks",
	.help = "every stack in order, leaf first, one frame per line, as uniprof 1.2 wrote them",
	.states = STATES_ALL,
	.run = run_stacks,
};
