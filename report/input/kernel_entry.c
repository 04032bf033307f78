/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/kernel_entry.h"

#include <errno.h>

#define ALIGNMENT 4096u /* kernels are moved by multiples of it, at least */
#define BLOCKS_MAX 64   /* of samples, without any such address, before there is none */

static bool is_in_time(const struct trace *t, const struct upf_block *b)
{
	return b->last_ns + t->scope.later_ns >= t->scope.from_ns && b->first_ns + t->scope.later_ns < t->scope.to_ns;
}

static void add_entry(struct kernel_entries *e, uint64_t address)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->address[i] == address)
			return;
	if (e->n < KERNEL_ENTRIES_MAX)
		e->address[e->n++] = address;
}

static void note_entry(const struct trace *t, const struct upf_record *rec, struct kernel_entries *of)
{
	uint32_t domain = scope_domain(&t->scope, rec->domain);

	if (rec->count != 0 && rec->domain < upf_reader_session(t->reader)->ndomains &&
	    scope_has_domain(&t->scope, domain))
		add_entry(&of[domain], rec->count);
}

struct looking {
	struct upf_decoder *decoder;
	const struct trace *trace;
	struct kernel_entries *of;
	size_t without; /* blocks */
	bool any;
};

/* Those of a block, which has one for each domain near its beginning. */
static bool note_block(void *ctx, const struct upf_block *b)
{
	struct looking *l = ctx;
	const uint32_t ndomains = upf_reader_session(l->trace->reader)->ndomains;
	struct upf_record rec;
	uint32_t told = 0;

	if (!is_in_time(l->trace, b))
		return true;
	if (b->fault == UPF_OK && upf_decoder_start(l->decoder, b) == UPF_OK)
		while (told < ndomains && upf_decoder_has(l->decoder, UPF_ENTRY) &&
		       upf_decoder_next(l->decoder, &rec) > 0) {
			if (rec.kind == UPF_SAME)
				upf_decoder_pass_repeated(l->decoder); /* a small block may repeat millions */
			if (rec.kind != UPF_ENTRY)
				continue;
			told++;
			note_entry(l->trace, &rec, l->of);
		}
	l->any |= told > 0;
	l->without += !l->any;
	return l->without < BLOCKS_MAX;
}

int kernel_entry_find(struct traces *t, struct kernel_entries *of)
{
	struct looking l = {.decoder = upf_decoder_new(), .of = of};
	int rc = l.decoder ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		l.trace = &t->list[i];
		l.without = 0;
		l.any = false;
		rc = trace_first_blocks(l.trace, note_block, &l);
	}
	upf_decoder_free(l.decoder);
	return rc;
}

struct kernel_symbols kernel_symbols_of(const struct symbols *s, size_t from)
{
	/*
	 * x86: of division by zero, since Linux 5.8 and before, natively and as a PV guest; while it starts, in the
	 * same order. AArch64: of all.
	 */
	static const char *const names[KERNEL_HANDLERS] = {
		"asm_exc_divide_error",    "xen_asm_exc_divide_error",    "divide_error", "xen_divide_error",
		"early_idt_handler_array", "xen_early_idt_handler_array", "vectors"};
	struct kernel_symbols k = {.is_known = true};

	if (!symbols_added(s, KERNEL_START, from, s->nadded, &k.start))
		return k;
	for (int i = 0; i < KERNEL_HANDLERS; i++)
		symbols_added(s, names[i], from, s->nadded, &k.handlers[i]);
	return k;
}

/* By one address. */
static bool find_bias(const struct kernel_symbols *k, uint64_t entry, uint64_t *bias)
{
	for (int i = 0; i < KERNEL_HANDLERS; i++) {
		if (!k->handlers[i] || (entry - k->handlers[i]) % ALIGNMENT != 0)
			continue;
		*bias = entry - k->handlers[i];
		return true;
	}
	return false;
}

bool kernel_entry_bias(const struct kernel_symbols *k, const struct kernel_entries *e, uint64_t *bias)
{
	size_t found = 0;
	uint64_t one;

	for (size_t i = 0; i < e->n; i++) {
		if (!find_bias(k, e->address[i], &one))
			continue;
		if (found++ && one != *bias)
			return false;
		*bias = one;
	}
	return found > 0;
}
