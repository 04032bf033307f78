/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.h - one address in a guest's kernel that is known whatever else is: the handler for interrupt vector 0. The
 * report finds by it where a relocated kernel was loaded (KASLR).
 */
#ifndef RECORD_STACK_ENTRY_H
#define RECORD_STACK_ENTRY_H

#include "guest/pages.h"

/*
 * Reads the address from the guest's memory as it is now, and maps what it needs. Not to be used while the guest is
 * paused. 0: there is no table yet, or none that can be read.
 */
uint64_t entry_find(struct pages *pages, const struct vcpu_regs *regs);

#endif
