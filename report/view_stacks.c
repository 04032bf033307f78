/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_stacks.c - every stack in the order of its sampling, as uniprof 1.2 wrote them: two lines of comment and an empty
 * one, then leaf first a frame a line, 1 (whole) or 0 (cut short), an empty line. stackcollapse.pl reads it.
 */
#include "report/frames.h"
#include "report/text.h"
#include "report/trust.h"

#include "common/say.h"

#include <errno.h>

static int record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct report *r = ctx;
	int rc;

	(void)b;
	if (rec->kind != UPF_SAMPLE || !(r->states & 1u << tally_state(rec->state)))
		return 0;
	rc = frames_print(r, node, "", "\n");
	fputs_unlocked(rec->end == UPF_END_ROOT ? "1\n\n" : "0\n\n", r->out);
	return rc;
}

/* Shows what there is before waiting for more, and ends when nobody reads it. */
static int block(void *ctx, const struct upf_block *b)
{
	struct report *r = ctx;

	(void)b;
	return fflush(r->out) == 0 ? 0 : -EIO; /* outfile.h knows why */
}

static void print_head(const struct report *r)
{
	const struct upf_session *s = r->session;

	fputs("# uniprof stacks of", r->out);
	for (size_t i = 0; i < s->ndomains; i++) {
		fputs(i ? ", " : " ", r->out);
		print_safe(r->out, s->domains[i].name ? s->domains[i].name : "?");
		fprintf(r->out, " (domain %u)", s->domains[i].id);
	}
	fprintf(r->out, ", from %s\n", text_utc(s->start_real_ns).s);
	fputs("# leaf first; each stack ends with 1 (whole) or 0 (cut short)\n\n", r->out);
}

static int run(struct report *r)
{
	const struct load_hooks hooks = {.ctx = r, .block = block, .record = record};
	int rc;

	print_head(r);
	rc = load_trace(&r->profile, r->reader, r->rows, &hooks);
	fflush(r->out);
	if (rc == 0)
		trust_print(r, NULL, stderr);
	return rc;
}

const struct view view_stacks = {
	.name = "stacks",
	.help = "every stack in order, leaf first, a frame a line, as uniprof 1.2 wrote them",
	.states = STATES_ALL,
	.run = run,
};
