/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/input/kernel_entry.h"

#define ALIGNMENT 4096u /* kernels are moved by multiples of it, at least */

struct kernel_symbols kernel_symbols_of(const struct symbols *s)
{
	/*
	 * x86: of division by zero, since Linux 5.8 and before, natively and as a PV guest; while it starts, in the
	 * same order. AArch64: of all.
	 */
	static const char *const names[KERNEL_HANDLERS] = {
		"asm_exc_divide_error",    "xen_asm_exc_divide_error",    "divide_error", "xen_divide_error",
		"early_idt_handler_array", "xen_early_idt_handler_array", "vectors"};
	struct kernel_symbols k = {0};

	if (!symbols_added(s, KERNEL_START, 0, s->nadded, &k.start))
		return k;
	for (int i = 0; i < KERNEL_HANDLERS; i++)
		symbols_added(s, names[i], 0, s->nadded, &k.handlers[i]);
	return k;
}

static bool find_bias(const struct kernel_symbols *k, const struct boot *boot, uint64_t *bias)
{
	for (int i = 0; i < KERNEL_HANDLERS; i++) {
		if (!boot->entry || !k->handlers[i] || (boot->entry - k->handlers[i]) % ALIGNMENT != 0)
			continue;
		*bias = boot->entry - k->handlers[i];
		return true;
	}
	return false;
}

uint64_t kernel_entry_bias(const struct kernel_symbols *k, const struct boots *b, size_t boot)
{
	const uint32_t domain = b->list[boot].domain;
	uint64_t bias;

	for (size_t i = boot; k->start && i < b->first[domain + 1]; i++)
		if (find_bias(k, &b->list[i], &bias))
			return bias;
	for (size_t i = boot; k->start && i-- > b->first[domain];)
		if (find_bias(k, &b->list[i], &bias))
			return bias;
	return 0;
}
