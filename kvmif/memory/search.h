/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.h - finds a guest's memory among its monitor's mappings, where the kernel does not tell: candidates (maps.h)
 * are ruled out by what a vCPU's registers must find there. Its page tables must lead to its instruction and to its
 * stack, and the stack must hold the address of an instruction behind a call. A layout that does not pass is never
 * used; where several do, only that part of memory on which they agree.
 */
#ifndef KVMIF_MEMORY_SEARCH_H
#define KVMIF_MEMORY_SEARCH_H

#include "guest/hypervisor.h"
#include "kvmif/memory/layout.h"

struct search;

/* Reads memory by @ops of @g. NULL: errno; ENOENT: no mapping can be memory. */
struct search *search_new(const struct memory_ops *ops, struct guest *g, pid_t pid);
void search_free(struct search *s); /* NULL is fine */

/* Has the process other mappings now? The candidates are these, then. */
bool search_has_changed(struct search *s);
/*
 * By a vCPU's registers rules candidates out, each tried as the slots of @l, which is the guest's layout and is left as
 * it was. False: the registers say nothing, because paging is off or no candidate passes.
 */
bool search_narrow(struct search *s, struct layout *l, const struct vcpu_regs *regs);
/* Are the layout's slots those of a candidate that is being tried? They must stay, then. */
bool search_is_trying(const struct search *s);
/* Are all candidates that are left the same? */
bool search_is_settled(const struct search *s);
/* Makes the slots of @l those that all candidates that are left agree on. 0 or a negative errno; -ENOSYS: none. */
int search_layout(const struct search *s, struct layout *l);

#endif
