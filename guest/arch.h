/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch.h - what a stack walk must know about the mode that a vCPU is in: how long a word is, where a frame keeps its
 * words, how addresses are translated. A mode belongs to a vCPU and a sample, not to a guest. The functions make no
 * system call and no hypercall, so they may run while the guest is paused.
 */
#ifndef GUEST_ARCH_H
#define GUEST_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/hypervisor.h"

#define ARCH_CALL_BYTES 8u /* of code before a return address in which its call is looked for */

struct capture;
struct space;

struct arch {
	enum arch_id id;
	uint8_t registers;     /* in vcpu_regs.all; 0: those of x86-64 */
	uint8_t word;          /* size of a pointer in bytes; frame pointers are aligned to it */
	uint8_t return_offset; /* of the return address from the frame pointer; the caller's frame pointer is at 0 */
	bool (*canonical)(uint64_t address);
	/*
	 * Numbers of the frame pointers of code of two instruction sets, which call each other: an odd return address
	 * is one of the second. Both 0: there is one, vcpu_regs.fp.
	 */
	uint8_t frame_pointers[2];
	/*
	 * Reads the frame at @fp, where compilers differ in its layout: the caller's frame pointer and the return
	 * address. @set: of code of the second instruction set. 0 or as space_read(). NULL: it is as above.
	 */
	int (*frame)(struct space *space, uint64_t fp, unsigned set, bool innermost, uint64_t *caller,
	             uint64_t *address);
	/*
	 * The frame that holds @address under @root, page tables read from @capture. 0; -EFAULT: the guest has no page
	 * there; -EAGAIN: no copy of a page-table entry yet (noted for capture_extend()); -EIO: a table cannot be
	 * mapped. NULL: stacks are not followed in this mode.
	 */
	int (*translate)(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);
	/*
	 * Can a call end with the last of these ARCH_CALL_BYTES bytes of code? False is certain. NULL: not known
	 * here, and frame pointers are taken at their word.
	 */
	bool (*ends_call)(const uint8_t *code);
	/* The code address in a return address as it is saved, maybe signed. NULL: it is the same. */
	uint64_t (*code_address)(uint64_t saved);
};

#endif
