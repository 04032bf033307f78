/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86.h - the modes that an x86 vCPU can be in, for every hypervisor. Guests that own their page tables (PVH, HVM,
 * KVM) change their mode as they like, so it is found at each sample.
 */
#ifndef GUEST_X86_H
#define GUEST_X86_H

#include "guest/arch.h"
#include "guest/capture.h"
#include "guest/hypervisor.h"

/* What decides a vCPU's mode, and the registers that a walk starts from as they are: offsets in their segments. */
struct x86_state {
	uint64_t cr0, cr3, cr4, efer, rflags;
	bool cs_l, cs_d;   /* of the code segment's descriptor: 64-bit code; 32-bit, not 16-bit code */
	uint8_t privilege; /* of the stack segment's descriptor: 3 is user mode */
	uint64_t cs_base, ss_base;
	uint64_t ip, sp, fp;
};

/*
 * Makes @regs of it, whose registers by number (@all) are by the numbers of x86-64 before, and by those of the mode's
 * instruction set after.
 */
void x86_mode(const struct x86_state *state, struct vcpu_regs *regs);

/*
 * The instruction set that the guest seems to be made for: i386 if paging is on without long mode. One that has only
 * begun to boot may become either, and counts as x86-64.
 */
enum arch_id x86_guest_arch(const struct x86_state *state);

/* For every mode but real mode. */
bool x86_ends_call(const uint8_t *code);

/* From the numbers of x86-64's registers to those of i386, which has them in the order of its instructions. */
void x86_renumber(uint64_t *all);

/* A PV guest's page tables hold machine frames; Xen itself keeps it in 64-bit mode, or in 32-bit mode with PAE. */
extern const struct arch arch_x86_64_pv, arch_x86_32_pv;

/*
 * Walk the page tables of x86, in every format that its processors have, as translate() of struct arch. At most as many
 * steps as the format has levels, whatever the tables hold; each of the tables may have been changed by the guest since
 * the last one was read.
 */
typedef int x86_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);

x86_walk x86_walk_pv;      /* 4 levels of a PV guest */
x86_walk x86_walk_pv_pae;  /* 3 levels of a 32-bit PV guest */
x86_walk x86_walk_5;       /* 57-bit addresses */
x86_walk x86_walk_4;       /* 48-bit addresses; pages of 1 GiB, 2 MiB and 4 KiB */
x86_walk x86_walk_pae;     /* 32-bit addresses, 3 levels; pages of 2 MiB and 4 KiB */
x86_walk x86_walk_2_large; /* 32-bit addresses, 2 levels; pages of 4 MiB, below 1 TiB (PSE-36), and 4 KiB */
x86_walk x86_walk_2;       /* the same without large pages */
x86_walk x86_walk_none;    /* paging is off: addresses are physical */

#endif
