/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch.h - what a stack walk must know about an architecture and a kind of guest: one struct arch for each, in a file
 * of its own. Its functions make no system call and no hypercall, so they may run while the guest is paused.
 */
#ifndef GUEST_ARCH_H
#define GUEST_ARCH_H

#include <stdbool.h>
#include <stdint.h>

struct pages;

enum arch_id { ARCH_X86_64 };

struct arch {
	const char *name;
	enum arch_id id;
	uint8_t word;          /* size of a pointer in bytes; frame pointers are aligned to it */
	uint8_t return_offset; /* of the return address from the frame pointer; the caller's frame pointer is at 0 */
	bool (*canonical)(uint64_t address);
	/*
	 * Translates a virtual address by the page tables under frame @root, which are read through @pages. 0 and the
	 * frame number of the page; -EFAULT: the guest has no page there; -EAGAIN: we have not mapped a page table
	 * yet; -EIO: it cannot be mapped.
	 */
	int (*translate)(struct pages *pages, uint64_t root, uint64_t address, uint64_t *frame);
};

extern const struct arch arch_x86_64_pv;

#endif
