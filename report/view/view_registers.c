/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_registers.c - every sample whose registers are in the trace, in order: what the vCPU was doing, its registers,
 * the code there, its stack by names, and the memory that its stack is in.
 */
#include "report/isa/disassembly.h"
#include "report/isa/isa.h"
#include "report/view/register_text.h"
#include "report/view/vcpu_text.h"
#include "report/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define NAME 8 /* columns of a register's name, if it stands beside others */

struct look {
	const struct report *report;
	struct callchain chain;
	struct domain_states domains;
	struct disassembly *disassembly;
	const struct isa *isa; /* that it is for */
	uint32_t program;      /* that the sample's domain ran */
	uint64_t shown;
	int digits;      /* of a register */
	unsigned in_row; /* registers printed in the row */
	unsigned in_row_max;
};

/* --- names ------------------------------------------------------------------------------------------------------- */

/* Prints "name+0xoffset" of an address that has one. */
static int print_name(const struct look *l, uint64_t address, const char *before)
{
	struct symbolizer *names = &l->report->run->names;
	struct frame_name name;
	int rc = symbolizer_find(names, l->program, address, false, &name);

	if (rc == 0)
		fprintf(l->report->out.file, "%s%s+%#" PRIx64, before, names->functions[name.function].name,
		        name.offset);
	return rc;
}

static bool has_name(const struct look *l, uint64_t address)
{
	return symbolizer_knows(&l->report->run->names, l->program, address);
}

/* --- registers --------------------------------------------------------------------------------------------------- */

static void end_row(struct look *l)
{
	if (l->in_row)
		fputc('\n', l->report->out.file);
	l->in_row = 0;
}

/* Does the register hold the address of page tables? Names are of virtual addresses. */
static bool is_physical(uint32_t id)
{
	return id == REGISTER_CR0 + 3 || id == REGISTER_USER_CR3 || id == REGISTER_TTBR0 || id == REGISTER_TTBR1;
}

/* Registers stand in rows; one that says more has a row for itself. @is_address: it can be one that has a name. */
static int print_register(struct look *l, const char *name, uint64_t value, const char *flags, bool is_address)
{
	FILE *out = l->report->out.file;
	bool named = is_address && has_name(l, value), alone = *flags || strlen(name) > NAME || named;
	int rc = 0;

	if (alone)
		end_row(l);
	fprintf(out, "%s%*s %0*" PRIx64, l->in_row ? " " : "", NAME, name, l->digits, value);
	if (!alone) {
		if (++l->in_row == l->in_row_max)
			end_row(l);
		return 0;
	}
	if (*flags)
		fprintf(out, "  %s", flags);
	else if (named)
		rc = print_name(l, value, "  ");
	fputc('\n', out);
	return rc;
}

static int print_general(struct look *l, const struct upf_record *rec)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < rec->nregs; i++) {
		unsigned r = register_order(rec->nregs)[i];

		rc = print_register(l, register_names(rec->nregs)[r], rec->regs[r], "", true);
	}
	end_row(l);
	return rc;
}

/* Where a segment's parts are. */
static uint32_t selector_id(unsigned s)
{
	return s == SEGMENT_LDTR  ? REGISTER_LDTR
	       : s == SEGMENT_TR  ? REGISTER_TR
	       : s < SEGMENT_LDTR ? REGISTER_ES + s
	                          : 0;
}

static uint32_t base_id(unsigned s)
{
	return s == SEGMENT_FS ? REGISTER_FS_BASE : s == SEGMENT_GS ? REGISTER_GS_BASE : REGISTER_ES_BASE + s;
}

/* The segment that register @id is a part of; SEGMENTS: none. */
static unsigned segment_of(uint32_t id)
{
	unsigned s = 0;

	while (s < SEGMENTS && id != selector_id(s) && id != base_id(s) && id != REGISTER_ES_LIMIT + s &&
	       id != REGISTER_ES_ATTRIBUTES + s)
		s++;
	return s;
}

static void print_segment(const struct look *l, const struct register_set *set, unsigned s)
{
	static const char *const names[] = {"es", "cs", "ss", "ds", "fs", "gs", "ldtr", "tr", "gdtr", "idtr"};
	const uint64_t *selector = selector_id(s) ? upf_registers_find(set, selector_id(s)) : NULL;
	const uint64_t *base = upf_registers_find(set, base_id(s)),
		       *limit = upf_registers_find(set, REGISTER_ES_LIMIT + s);
	const uint64_t *attributes = upf_registers_find(set, REGISTER_ES_ATTRIBUTES + s);
	FILE *out = l->report->out.file;
	char text[REGISTER_TEXT];

	if (!selector && !base && !limit && !attributes)
		return;
	fprintf(out, "%*s ", NAME, names[s]);
	if (selector)
		fprintf(out, "%04" PRIx64, *selector);
	else
		fputs("    ", out);
	if (base)
		fprintf(out, "  base %0*" PRIx64, l->digits, *base);
	if (limit)
		fprintf(out, "  limit %08" PRIx64, *limit);
	if (attributes) {
		register_segment(text, s, *attributes);
		fprintf(out, "  %s", text);
	}
	fputc('\n', out);
}

/* The instruction pointer and the processor's flags. */
static bool comes_first(uint32_t id)
{
	return id == REGISTER_RIP || id == REGISTER_PC || id == REGISTER_PC_32 || id == REGISTER_RFLAGS ||
	       id == REGISTER_CPSR;
}

/* Those that come before the general registers, or behind them. */
static int print_others(struct look *l, const struct register_set *set, bool first)
{
	char name[24], flags[REGISTER_TEXT];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < set->n; i++) {
		const uint32_t id = set->of[i].id;
		const char *known = upf_register_name(id);

		if (segment_of(id) < SEGMENTS || comes_first(id) != first)
			continue;
		snprintf(name, sizeof(name), "%s", known ? known : "");
		if (!known)
			snprintf(name, sizeof(name), "number %" PRIu32, id);
		register_flags(flags, id, set->of[i].value);
		rc = print_register(l, name, set->of[i].value, flags, !is_physical(id));
	}
	end_row(l);
	for (unsigned s = 0; s < SEGMENTS && !first; s++)
		print_segment(l, set, s);
	return rc;
}

/* --- code -------------------------------------------------------------------------------------------------------- */

static void print_code(const struct look *l, const struct register_set *set)
{
	FILE *out = l->report->out.file;

	if (set->code_size == 0)
		return;
	fputs("\nCode", out);
	for (unsigned i = 0; i < set->code_size; i++) {
		fputs(i % 24 ? "" : "\n ", out);
		fprintf(out,
		        i == set->code_before                  ? "<%02x>"
		        : i == set->code_before + 1u && i % 24 ? "%02x"
		                                               : " %02x",
		        set->code[i]);
	}
	fputc('\n', out);
}

/* The next instruction. */
static int print_instruction(struct look *l, const struct register_set *set, const struct isa *isa, uint64_t ip)
{
	if (!isa || set->code_before >= set->code_size)
		return 0;
	if (!l->disassembly || l->isa != isa) {
		disassembly_free(l->disassembly);
		l->isa = isa;
		l->disassembly = disassembly_new(isa);
		if (!l->disassembly)
			return errno == ENOTSUP ? 0 : -ENOMEM;
	}
	fprintf(l->report->out.file, "  next: %s\n",
	        disassembly_at(l->disassembly, set->code + set->code_before, set->code_size - set->code_before, ip)
	                .text);
	return 0;
}

/* --- the stack --------------------------------------------------------------------------------------------------- */

static uint64_t stack_word(const struct upf_record *rec, unsigned bytes, size_t i)
{
	const uint64_t word = rec->words[i * bytes / sizeof(*rec->words)];

	return bytes == 4 ? (uint32_t)(word >> (i % 2 ? 32 : 0)) : word;
}

/* Up to the end of a page, with a quarter of a page at least: more is seldom the stack's, and its frames are named. */
static size_t shown_words(const struct upf_record *rec, uint64_t from)
{
	uint64_t bytes = ((from + PAGE / 4 + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - from;

	return bytes / UPF_WORD < rec->nwords ? (size_t)(bytes / UPF_WORD) : rec->nwords;
}

/* Words stand in rows; one with a name has a row for itself. Rows that repeat the one before are left out. */
static int print_memory(struct look *l, const struct upf_record *rec)
{
	const unsigned bytes = (unsigned)l->digits / 2, row = bytes == 4 ? 6 : 3;
	const uint64_t from = rec->sp & ~(uint64_t)7;
	const size_t n = shown_words(rec, from) * sizeof(*rec->words) / bytes;
	FILE *out = l->report->out.file;
	size_t i = (size_t)(rec->sp - from) / bytes;
	uint64_t same = 0;
	bool skipped = false;
	int rc = 0;

	fprintf(out, "\nMemory at the stack pointer%s\n",
	        rec->tops == UPF_TOPS_WINDOW ? "; words that cannot be return addresses were stored as 0" : "");
	for (unsigned here = 0; rc == 0 && i < n; i += here) {
		bool zeros = true;

		for (here = 0; here < row && i + here < n && !has_name(l, stack_word(rec, bytes, i + here)); here++)
			zeros &= stack_word(rec, bytes, i + here) == 0;
		if (here == row && zeros && ++same > 1 && i + row < n) {
			fputs(skipped ? "" : "  *\n", out);
			skipped = true;
			continue;
		}
		same = here == row && zeros;
		skipped = false;
		fprintf(out, "  %0*" PRIx64 " ", l->digits, from + i * bytes);
		for (unsigned k = 0; k < (here ? here : 1); k++)
			fprintf(out, " %0*" PRIx64, l->digits, stack_word(rec, bytes, i + k));
		if (here == 0) {
			rc = print_name(l, stack_word(rec, bytes, i), "  ");
			here = 1;
		}
		fputc('\n', out);
	}
	return rc;
}

/* --- a sample ---------------------------------------------------------------------------------------------------- */

static void print_none(const struct look *l, const struct upf_record *rec)
{
	fputs("\n\n", l->report->out.file);
	vcpu_print(l->report, rec);
	fputs(", no registers\n", l->report->out.file);
}

static void print_registers_head(const struct look *l, const struct upf_record *rec, const struct register_set *set,
                                 uint8_t arch)
{
	const struct report *r = l->report;
	char mode[REGISTER_TEXT];

	register_mode(mode, set, arch, rec->user);
	vcpu_print(r, rec);
	fprintf(r->out.file, ", %s\n", mode);
	domain_state_print(r, &l->domains, rec->domain);
}

static int print_registers(struct look *l, const struct upf_record *rec, uint32_t node)
{
	const uint8_t arch = vcpu_arch(l->report, rec);
	const struct isa *isa;
	const struct calltree *tree = &l->report->run->profile.tree;
	struct register_set set;
	int rc;

	if (!upf_record_registers(rec, &set)) {
		if (rec->end == UPF_END_NONE && l->shown)
			print_none(l, rec);
		return 0;
	}
	l->program = binaries_program(&l->report->run->binaries, rec->domain, rec->time_ns);
	l->digits = rec->nregs == UPF_REGS_I386 || rec->nregs == UPF_REGS_ARM32 ? 8 : 16;
	l->in_row_max = l->digits == 8 ? 4 : 3;
	fputs(l->shown++ ? "\n\n" : "", l->report->out.file);
	print_registers_head(l, rec, &set, arch);
	fputc('\n', l->report->out.file);
	rc = print_others(l, &set, true);
	if (rc == 0)
		rc = print_general(l, rec);
	if (rc == 0)
		rc = print_others(l, &set, false);
	if (rc != 0)
		return rc;
	print_code(l, &set);
	isa = isa_of_arch(arch);
	rc = print_instruction(l, &set, isa && isa->other && register_thumb(&set) ? isa->other : isa,
	                       tree->nodes[node].address);
	if (rc == 0) {
		fputs("\nStack\n", l->report->out.file);
		rc = stack_print(l->report, &l->chain, rec, node, l->digits);
	}
	return rc == 0 && rec->nwords ? print_memory(l, rec) : rc;
}

static int look_at_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct look *l = ctx;

	(void)b;
	if (rec->kind == UPF_EVENT)
		return domain_states_note(&l->domains, rec);
	/* What did not run is as it was. */
	if (rec->kind != UPF_SAMPLE || rec->repeated || !counters_among(l->report->selection->states, rec->state))
		return 0;
	return print_registers(l, rec, node);
}

static int run_registers(const struct report *r, struct view_result *found)
{
	struct look l = {.report = r};
	const struct load_hooks hooks = {.ctx = &l, .flushed = r->out.file, .record = look_at_record};
	int rc = view_load(r, &hooks);

	if (l.shown == 0)
		found->lacks = "it has no registers; uniprof-record --registers keeps them";
	callchain_free(&l.chain);
	disassembly_free(l.disassembly);
	domain_states_free(&l.domains);
	if (rc == 0 && l.shown)
		view_notes(r, NULL);
	return rc;
}

const struct view view_registers = {
	.name = "registers",
	.help = "all registers of each sample, with its mode, code and stack, if they were recorded",
	.states = STATES_ALL,
	.run = run_registers,
};
