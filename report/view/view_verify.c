/* SPDX-License-Identifier: BSD-2-Clause */
/* view_verify.c - reads the whole trace and prints whether it is sound; so does the exit status. */
#include "report/output/text.h"
#include "report/view/quality.h"
#include "report/view/view.h"

#include "common/say.h"

#include <inttypes.h>

static int verify_block(void *ctx, const struct upf_block *b)
{
	if (b->fault != UPF_OK)
		fprintf(ctx, "offset %" PRIu64 ": %s\n", b->offset, upf_fault_text(b->fault));
	return 0;
}

static int count_broken(void *ctx, const struct upf_block *b, uint32_t index)
{
	fprintf(ctx, "offset %" PRIu64 ", record %" PRIu32 ": %s\n", b->offset, index,
	        upf_fault_text(UPF_FAULT_RECORD));
	return 0;
}

static bool differs(const struct report *r, const char *what, uint64_t footer, uint64_t found)
{
	if (footer == found)
		return false;
	fprintf(r->out.file, "the footer counts %" PRIu64 " %s, the blocks hold %" PRIu64 "\n", footer, what, found);
	return true;
}

/* What the footer says must be what the records say; where blocks are missing the difference is what they held. */
static bool compare_footer(const struct report *r, const struct upf_reader *reader, const struct counters *t)
{
	enum upf_reason reason;
	const struct upf_totals *totals = upf_reader_totals(reader, &reason);
	bool wrong = false;

	if (!totals)
		return false;
	wrong |= differs(r, "rounds", totals->rounds, t->rounds);
	wrong |= differs(r, "samples", totals->samples, t->samples);
	wrong |= differs(r, "lost samples", totals->lost, counters_lost(t));
	wrong |= differs(r, "missed deadlines", totals->late, t->late);
	return wrong;
}

static void print_ok(const struct report *r, const struct upf_reader *reader, const struct counters *t)
{
	enum upf_reason reason = UPF_REASON_UNKNOWN;
	const struct upf_totals *totals = upf_reader_totals(reader, &reason);
	uint64_t blocks = upf_reader_health(reader)->blocks;

	fprintf(r->out.file, "OK: %s block%s, %s samples, %s lost, %s; ended by: %s\n", text_count(blocks).s,
	        blocks == 1 ? "" : "s", text_count(t->samples).s, text_count(counters_lost(t)).s,
	        text_time(totals && totals->duration_ns ? totals->duration_ns : t->last_ns).s,
	        upf_reason_text(reason));
}

static void judge_trace(const struct report *r, const struct upf_reader *reader, const struct counters *t,
                        struct view_result *found)
{
	bool mismatch = compare_footer(r, reader, t);
	char faults[256];

	found->mismatch |= mismatch;
	if (health_sound(upf_reader_health(reader), t->bad_blocks) && !mismatch) {
		print_ok(r, reader, t);
		return;
	}
	quality_faults(upf_reader_health(reader), t->bad_blocks, faults, sizeof(faults));
	fprintf(r->out.file, "NOT OK: %s\n", faults[0] ? faults : "the footer contradicts the blocks");
}

/* Every trace by itself, and whatever the filters say: they are about what is shown. */
static int verify(const struct report *r, struct trace *t, struct view_result *found)
{
	const struct load_hooks hooks = {.ctx = r->out.file, .block = verify_block, .broken = count_broken};
	const struct load_options options = {.archived = r->run->binaries.has_archive, .hooks = &hooks};
	uint64_t bad_blocks = t->bad_blocks;
	struct profile p;
	int rc = profile_init(&p);

	if (r->run->traces.n > 1) {
		fputs("trace ", r->out.file);
		print_safe(r->out.file, t->path);
		fputc('\n', r->out.file);
	}
	p.counters.bad_blocks = bad_blocks;
	if (rc == 0)
		rc = recording_load_trace(r->run, &p, t, &options);
	if (rc == 0)
		judge_trace(r, t->reader, &p.counters, found);
	r->run->profile.counters.bad_blocks += p.counters.bad_blocks - bad_blocks;
	trace_suspend(t);
	profile_free(&p);
	return rc;
}

static int run_verify(const struct report *r, struct view_result *found)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->run->traces.n; i++)
		rc = verify(r, &r->run->traces.list[i], found);
	return rc;
}

const struct view view_verify = {
	.name = "verify",
	.help = "read the whole trace and say whether it is sound",
	.states = STATES_ALL,
	.run = run_verify,
};
