/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_entry.h - where a guest's Linux kernel was loaded. A relocated kernel (KASLR) cannot hide the handler of the
 * first exception, whose address the recorder writes to the trace. While a guest starts there are others: of its
 * firmware, and the kernel's first ones.
 */
#ifndef REPORT_INPUT_KERNEL_ENTRY_H
#define REPORT_INPUT_KERNEL_ENTRY_H

#include "report/symbols/symbols.h"
#include "report/input/boots.h"

/* Linux' own name for where its image begins. */
#define KERNEL_START "_text"

#define KERNEL_HANDLERS 7

/* Where a kernel's image and its handlers are linked; 0: it lacks that one. Without a start it is no kernel. */
struct kernel_symbols {
	uint64_t start, handlers[KERNEL_HANDLERS];
};

struct kernel_symbols kernel_symbols_of(const struct symbols *s);
/*
 * How much higher that kernel lies in boot number @boot, by its entry; by one of the boots around it if that is another
 * one's, since a guest starts with its firmware's, and goes on with those of its kernel's stages. 0: by none.
 */
uint64_t kernel_entry_bias(const struct kernel_symbols *k, const struct boots *b, size_t boot);

#endif
