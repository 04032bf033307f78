/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/kernel_entry.h"

#include <errno.h>

#define ALIGNMENT 4096u /* kernels are moved by multiples of it, at least */

#define DIFFER UINT64_MAX

static void note(const struct trace *t, const struct upf_record *rec, uint64_t *addresses)
{
	uint32_t domain = scope_domain(&t->scope, rec->domain);
	uint64_t *address = &addresses[domain];

	if (rec->domain >= upf_reader_session(t->reader)->ndomains || !scope_has_domain(&t->scope, domain))
		return;
	*address = *address == 0 || *address == rec->count ? rec->count : DIFFER;
}

static void note_all(struct upf_decoder *d, const struct trace *t, uint64_t *addresses)
{
	struct upf_record rec;

	while (upf_decoder_next(d, &rec) > 0) {
		if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(d); /* a small block may repeat millions */
		if (rec.kind == UPF_ENTRY && rec.count != 0)
			note(t, &rec, addresses);
	}
}

int kernel_entry_find(struct traces *t, uint64_t *addresses)
{
	struct upf_decoder *d = upf_decoder_new();
	int rc = 0;

	if (!d)
		return -ENOMEM;
	for (size_t i = 0; rc >= 0 && i < t->n; i++) {
		struct upf_block block;

		rc = upf_reader_next(t->list[i].reader, &block);
		if (rc <= 0)
			continue;
		if (block.fault == UPF_OK && block.type == UPF_BLOCK_SAMPLES && upf_decoder_start(d, &block) == UPF_OK)
			note_all(d, &t->list[i], addresses);
		upf_reader_again(t->list[i].reader, &block);
	}
	upf_decoder_free(d);
	for (size_t i = 0; i < t->session.ndomains; i++)
		addresses[i] = addresses[i] == DIFFER ? 0 : addresses[i];
	return rc < 0 ? rc : 0;
}

bool kernel_entry_bias(const struct symbols *s, size_t from, uint64_t entry, uint64_t *bias)
{
	/*
	 * x86: of division by zero, since Linux 5.8 and before, natively and as a PV guest; while it starts, in the
	 * same order. AArch64: of all.
	 */
	static const char *const names[] = {
		"asm_exc_divide_error",    "xen_asm_exc_divide_error",    "divide_error", "xen_divide_error",
		"early_idt_handler_array", "xen_early_idt_handler_array", "vectors"};
	uint64_t linked;

	if (!symbols_added(s, KERNEL_START, from, s->nadded, &linked))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!symbols_added(s, names[i], from, s->nadded, &linked) || (entry - linked) % ALIGNMENT != 0)
			continue;
		*bias = entry - linked;
		return true;
	}
	return false;
}
