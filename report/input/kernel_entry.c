/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/kernel_entry.h"

#include <errno.h>

#define ALIGNMENT 4096u /* kernels are moved by multiples of it, at least */

static bool counts(const struct trace *t, uint32_t domain)
{
	if (domain >= upf_reader_session(t->reader)->ndomains)
		return false;
	return scope_has_domain(&t->scope, t->domain_map ? t->domain_map[domain] : domain);
}

/* Sets *address if it is 0; false: it is another one. */
static bool agree(struct upf_decoder *d, const struct trace *t, uint64_t *address)
{
	struct upf_record rec;

	while (upf_decoder_next(d, &rec) > 0) {
		if (rec.kind == UPF_SAME)
			upf_decoder_pass_repeated(d); /* a small block may repeat millions */
		if (rec.kind != UPF_ENTRY || rec.count == 0 || !counts(t, rec.domain))
			continue;
		if (*address && *address != rec.count)
			return false;
		*address = rec.count;
	}
	return true;
}

int kernel_entry_find(struct traces *t, uint64_t *address)
{
	struct upf_decoder *d = upf_decoder_new();
	bool same = true;
	int rc = 0;

	*address = 0;
	if (!d)
		return -ENOMEM;
	for (size_t i = 0; rc >= 0 && i < t->n; i++) {
		struct upf_block block;

		rc = upf_reader_next(t->list[i].reader, &block);
		if (rc <= 0)
			continue;
		if (block.fault == UPF_OK && block.type == UPF_BLOCK_SAMPLES && upf_decoder_start(d, &block) == UPF_OK)
			same &= agree(d, &t->list[i], address);
		upf_reader_again(t->list[i].reader, &block);
	}
	upf_decoder_free(d);
	*address = same ? *address : 0;
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
