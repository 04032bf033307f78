/* SPDX-License-Identifier: BSD-2-Clause */
/* view_verify.c - reads the whole trace and says whether it is sound; the exit code says it too. */
#include "report/text.h"
#include "report/trust.h"

#include "common/say.h"

#include <inttypes.h>

static int block(void *ctx, const struct upf_block *b)
{
	const struct report *r = ctx;

	if (b->fault != UPF_OK)
		fprintf(r->out, "offset %" PRIu64 ": %s\n", b->offset, upf_fault_text(b->fault));
	return 0;
}

static int broken(void *ctx, const struct upf_block *b, uint32_t index)
{
	const struct report *r = ctx;

	fprintf(r->out, "offset %" PRIu64 ", record %" PRIu32 ": %s\n", b->offset, index,
	        upf_fault_text(UPF_FAULT_RECORD));
	return 0;
}

static bool differs(const struct report *r, const char *what, uint64_t footer, uint64_t found)
{
	if (footer == found)
		return false;
	fprintf(r->out, "the footer counts %" PRIu64 " %s, the blocks hold %" PRIu64 "\n", footer, what, found);
	return true;
}

/* What the footer says must be what the records say; where blocks are missing the difference is what they held. */
static bool compare_footer(const struct report *r)
{
	enum upf_reason reason;
	const struct upf_totals *totals = upf_reader_totals(r->reader, &reason);
	const struct tally *t = &r->profile.tally;
	bool wrong = false;

	if (!totals)
		return false;
	wrong |= differs(r, "rounds", totals->rounds, t->rounds);
	wrong |= differs(r, "samples", totals->samples, t->samples);
	wrong |= differs(r, "lost samples", totals->lost, tally_lost(t));
	wrong |= differs(r, "late deadlines", totals->late, t->late);
	return wrong;
}

static void print_ok(const struct report *r)
{
	enum upf_reason reason = UPF_REASON_UNKNOWN;
	const struct tally *t = &r->profile.tally;
	uint64_t blocks = upf_reader_health(r->reader)->blocks;

	upf_reader_totals(r->reader, &reason);
	fprintf(r->out, "OK: %s block%s, %s samples, %s lost, %s; ended by: %s\n",
	        text_count(blocks).s, blocks == 1 ? "" : "s", text_count(t->samples).s,
	        text_count(tally_lost(t)).s, text_time(trust_duration(r)).s, upf_reason_text(reason));
}

static int run(struct report *r)
{
	const struct load_hooks hooks = {.ctx = r, .block = block, .broken = broken};
	int rc = load_trace(&r->profile, r->reader, r->rows, &hooks);
	char faults[256];

	if (rc != 0)
		return rc;
	r->mismatch = compare_footer(r);
	if (trust_sound(r) && !r->mismatch) {
		print_ok(r);
		return 0;
	}
	trust_faults(r, faults, sizeof(faults));
	fprintf(r->out, "NOT OK: %s\n", faults[0] ? faults : "the footer contradicts the blocks");
	return 0;
}

const struct view view_verify = {
	.name = "verify",
	.help = "reads everything and says whether the trace is sound",
	.states = STATES_ALL,
	.run = run,
};
