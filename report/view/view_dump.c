/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_dump.c - every record of the trace: its place (the block's offset and sequence number, its number in the
 * block), its time, and what it says; of a sample, run state, CPU time, end and stack.
 */
#include "report/view/view.h"
#include "report/unwind/unwind.h"

#include "common/say.h"

#include <inttypes.h>

struct dump {
	const struct report *report;
	struct callchain chain;
};

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static int dump_block(void *ctx, const struct upf_block *b)
{
	const struct report *r = ((const struct dump *)ctx)->report;

	if (b->fault != UPF_OK) {
		fprintf(r->out.file, "block %" PRIu64 " DAMAGED, skipped: %s\n", b->offset, upf_fault_text(b->fault));
		return 0;
	}
	fprintf(r->out.file, "block %" PRIu64 " seq %" PRIu64, b->offset, b->seq);
	if (b->type == UPF_BLOCK_SAMPLES)
		fprintf(r->out.file,
		        " samples: %" PRIu64 " samples, %" PRIu64 " lost, %.6f to %.6f s, %" PRIu32
		        " bytes stored, %" PRIu32 " raw\n",
		        b->samples, b->lost, seconds(b->first_ns), seconds(b->last_ns), b->stored_size, b->raw_size);
	else if (b->type == UPF_BLOCK_FOOTER)
		fprintf(r->out.file, " footer: %" PRIu32 " bytes stored, %" PRIu32 " raw\n", b->stored_size,
		        b->raw_size);
	else if (b->type >= UPF_BLOCK_NAMES && b->type <= UPF_BLOCK_CODE)
		fprintf(r->out.file, " of an archive, type %u: %" PRIu32 " bytes stored, %" PRIu32 " raw\n", b->type,
		        b->stored_size, b->raw_size);
	else
		fprintf(r->out.file, " type %u, not known here: %" PRIu32 " bytes skipped\n", b->type, b->stored_size);
	return 0;
}

static int dump_sample(struct dump *d, const struct upf_record *rec, uint32_t node)
{
	const struct report *r = d->report;
	int rc = filter_callchain(&d->chain, &r->run->profile, &r->run->names, node, rec->user);

	if (rc != 0)
		return rc;
	fprintf(r->out.file,
	        "%s domain %" PRIu32 " vcpu %" PRIu32 " %s %s cpu %" PRIu64 " us, end %u (%s), depth %zu: ",
	        rec->repeated ? "repeated" : "sample", rec->domain, rec->vcpu, upf_state_text(rec->state),
	        rec->user ? "user" : "kernel", rec->cpu_ns / 1000, rec->end, chain_end_text(rec->end), d->chain.n);
	view_frames(r, &d->chain, "*", " ");
	return 0;
}

static void print_registers(const struct report *r, const struct upf_record *rec)
{
	struct register_set set;

	fprintf(r->out.file, "registers domain %" PRIu32 " vcpu %" PRIu32 ":", rec->domain, rec->vcpu);
	if (!upf_record_registers(rec, &set))
		return;
	for (uint32_t i = 0; i < set.n; i++) {
		const char *name = upf_register_name(set.of[i].id);

		fputc(' ', r->out.file);
		if (name)
			fputs(name, r->out.file);
		else
			fprintf(r->out.file, "%" PRIu32, set.of[i].id);
		fprintf(r->out.file, "=%#" PRIx64, set.of[i].value);
	}
	fputs(set.code_size ? ", code" : "", r->out.file);
	for (uint32_t i = 0; i < set.code_size; i++)
		fprintf(r->out.file, i == set.code_before ? " <%02x>" : " %02x", set.code[i]);
}

static void print_other(const struct report *r, const struct upf_record *rec)
{
	FILE *out = r->out.file;

	switch (rec->kind) {
	case UPF_ROUND:
		fprintf(out, "round domain %" PRIu32 " pause %" PRIu64 " us", rec->domain, rec->pause_ns / 1000);
		break;
	case UPF_SAME:
		fprintf(out, "same domain %" PRIu32, rec->domain);
		break;
	case UPF_LOST:
		fprintf(out, "lost domain %" PRIu32 " count %" PRIu64 ", reason %u (%s)", rec->domain, rec->count,
		        rec->code, upf_lost_text(rec->code));
		break;
	case UPF_LATE:
		fprintf(out, "late domain %" PRIu32 " count %" PRIu64, rec->domain, rec->count);
		break;
	case UPF_EVENT:
		fprintf(out, "event domain %" PRIu32 " %u (%s), value %" PRIu64, rec->domain, rec->code,
		        upf_event_text(rec->code), rec->count);
		break;
	case UPF_ENTRY:
		fprintf(out, "entry domain %" PRIu32 " vcpu %" PRIu32 " %#" PRIx64, rec->domain, rec->vcpu,
		        rec->count);
		break;
	case UPF_BUILD:
		fprintf(out, "build domain %" PRIu32 " at %#" PRIx64 " ", rec->domain, rec->count);
		for (uint32_t i = 0; i < rec->registers_size; i++)
			fprintf(out, "%02x", rec->build_id[i]);
		break;
	case UPF_HOST:
		fprintf(out, "host stack");
		break;
	case UPF_REGISTERS:
		print_registers(r, rec);
		break;
	default:
		fprintf(out, "record of kind %u, not known here", rec->kind);
	}
}

static int dump_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct dump *d = ctx;
	const struct report *r = d->report;
	int rc = 0;

	if (rec->kind == UPF_SAMPLE && !counters_among(r->selection->states, rec->state))
		return 0;
	fprintf(r->out.file, "%" PRIu64 " %" PRIu64 " %" PRIu32 " %.6f ", b->offset, b->seq, rec->index,
	        seconds(rec->time_ns));
	if (rec->kind == UPF_SAMPLE)
		rc = dump_sample(d, rec, node);
	else
		print_other(r, rec);
	fputc('\n', r->out.file);
	return rc;
}

static int dump_broken(void *ctx, const struct upf_block *b, uint32_t index)
{
	const struct report *r = ((const struct dump *)ctx)->report;

	fprintf(r->out.file, "%" PRIu64 " %" PRIu64 " %" PRIu32 " DAMAGED, rest of the block skipped: %s\n", b->offset,
	        b->seq, index, upf_fault_text(UPF_FAULT_RECORD));
	return 0;
}

static void print_end(const struct report *r, const struct upf_reader *reader)
{
	enum upf_reason reason = UPF_REASON_UNKNOWN;
	const struct upf_totals *t = upf_reader_totals(reader, &reason);

	if (t)
		fprintf(r->out.file,
		        "end %u (%s), %" PRIu64 " rounds, %" PRIu64 " pauses, %" PRIu64 " samples, %" PRIu64
		        " lost, %" PRIu64 " late, %.6f s\n",
		        reason, upf_reason_text(reason), t->rounds, t->pauses, t->samples, t->lost, t->late,
		        seconds(t->duration_ns));
	else
		fputs("end without a footer\n", r->out.file);
}

static int dump_trace(struct dump *d, struct trace *t)
{
	const struct report *r = d->report;
	const struct load_hooks hooks = {
		.ctx = d, .block = dump_block, .flushed = r->out.file, .record = dump_record, .broken = dump_broken};
	struct load_options options = recording_options(r->run);
	int rc;

	options.scope = &t->scope;
	options.hooks = &hooks;
	if (r->run->traces.n > 1) {
		fputs("trace ", r->out.file);
		print_safe(r->out.file, t->path);
		fputc('\n', r->out.file);
	}
	rc = recording_load_trace(r->run, &r->run->profile, t, &options);
	if (rc == 0)
		print_end(r, t->reader);
	trace_suspend(t);
	return rc;
}

static int run_dump(const struct report *r, struct view_result *found)
{
	struct dump d = {.report = r};
	int rc = 0;

	(void)found;
	fputs("# block offset, block seq, record, seconds, fields; stacks leaf first\n", r->out.file);
	for (size_t i = 0; rc == 0 && i < r->run->traces.n; i++)
		rc = dump_trace(&d, &r->run->traces.list[i]);
	callchain_free(&d.chain);
	recording_pauses(r->run);
	if (rc == 0)
		view_notes(r, NULL);
	return rc;
}

const struct view view_dump = {
	.name = "dump",
	.help = "every record, and of samples run state, CPU time and stack; damaged blocks are marked",
	.states = STATES_ALL,
	.run = run_dump,
};
