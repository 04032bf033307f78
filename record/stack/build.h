/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build.h - which build a guest runs: the GNU build-id in its memory. It is searched near the guest's code, in the
 * pages that are mapped there. A guest can have any number of notes there, and may lie: one is taken only if it is the
 * only one that can belong to the code.
 */
#ifndef RECORD_STACK_BUILD_H
#define RECORD_STACK_BUILD_H

#include "format/upf.h"
#include "guest/hypervisor.h"

struct build {
	uint8_t id[UPF_BUILD_ID_MAX];
	uint32_t size;    /* 0: none */
	uint64_t address; /* of the note */
	uint64_t near;    /* where it was searched last */
	unsigned searches;
};

/*
 * Searches near b->near, in the address space of @regs, unless the last search was there, too. @entry is the handler
 * of interrupt vector 0, which is in the kernel's code; 0: not known, and the search is near the instruction pointer
 * if it is the kernel's. Reads at most 40 MiB in 160 pieces, each by a call that maps and one that copies, beside those
 * for page tables. Not to be used while the guest is paused. True: found.
 */
bool build_search(struct build *b, const struct hypervisor_ops *ops, struct guest *guest, const struct vcpu_regs *regs,
                  uint64_t entry);

#endif
