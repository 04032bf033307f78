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
 * paused. *entry is 0 where there is no table yet, or no such handler. False: it cannot be read, at least not now.
 */
bool entry_find(struct pages *pages, const struct vcpu_regs *regs, uint64_t *entry);
/* Where the registers say that it is: as long as that stays, the address nearly always does. 0: there is no table. */
static inline uint64_t entry_place(const struct vcpu_regs *regs)
{
	return regs->first_handler ? regs->first_handler : regs->interrupt_table;
}

#endif
