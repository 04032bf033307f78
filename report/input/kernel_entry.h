/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_entry.h - where a guest's Linux kernel was loaded. A relocated kernel (KASLR) cannot hide the handler of the
 * first exception, whose address the recorder writes to the trace. While a guest starts there are others: of its
 * firmware, and the kernel's first ones.
 */
#ifndef REPORT_INPUT_KERNEL_ENTRY_H
#define REPORT_INPUT_KERNEL_ENTRY_H

#include "report/symbols/symbols.h"
#include "report/input/traces.h"

/* Linux' own name for where its image begins. */
#define KERNEL_START "_text"

#define KERNEL_ENTRIES_MAX 16

struct kernel_entries {
	uint64_t address[KERNEL_ENTRIES_MAX];
	size_t n;
};

/*
 * The addresses that the traces have of each domain of t->session that counts: @of has room for all, and is empty. As
 * far as the traces can be read twice; else those in their first blocks, which are then given out again. 0 or a
 * negative errno.
 */
int kernel_entry_find(struct traces *t, struct kernel_entries *of);
#define KERNEL_HANDLERS 7

/* Where a kernel's image and its handlers are linked; 0: it lacks that one. Without a start it is no kernel. */
struct kernel_symbols {
	uint64_t start, handlers[KERNEL_HANDLERS];
	bool is_known;
};

/* Those of the file whose symbols were added from the @from-th on. */
struct kernel_symbols kernel_symbols_of(const struct symbols *s, size_t from);
/*
 * How much higher that kernel lies, if one of @e is its handler's. False: it is not that kernel, or it was in several
 * places: the guest was rebooted.
 */
bool kernel_entry_bias(const struct kernel_symbols *k, const struct kernel_entries *e, uint64_t *bias);

#endif
