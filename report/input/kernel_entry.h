/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_entry.h - where a guest's Linux kernel was loaded. A relocated kernel (KASLR) cannot hide the handler of the
 * first exception, whose address the recorder keeps once for each vCPU.
 */
#ifndef REPORT_INPUT_KERNEL_ENTRY_H
#define REPORT_INPUT_KERNEL_ENTRY_H

#include "report/binary/symbols.h"
#include "report/input/traces.h"

/* Linux' own name for where its image begins. */
#define KERNEL_START "_text"

/*
 * The address, as the traces tell at their beginnings, for each of t->session's domains that counts; it stays 0 where
 * they do not tell, or not the same. Reads the first block of each, which is then given out again. 0 or a negative
 * errno.
 */
int kernel_entry_find(struct traces *t, uint64_t *addresses);
/*
 * How much higher the kernel whose symbols were added from the @from-th on lies, if @entry is its handler's address.
 * False: they are not a kernel's, or it is not that kernel.
 */
bool kernel_entry_bias(const struct symbols *s, size_t from, uint64_t entry, uint64_t *bias);

#endif
