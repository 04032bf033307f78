/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry points of an ARM guest, which Xen's toolstack loads as a Linux kernel (arm64: Documentation/arm64/booting.rst;
 * arm: a zImage) and enters with the MMU off and the device tree's address in x0, or r2. It turns on what its mode needs
 * and goes on in _start, at the addresses that this code was linked for. A frame pointer of 0 ends every stack.
 */
#include "../entry.inc"
#include "layout.h"

	.section .head, "ax"
#ifdef __aarch64__

	b start_physical
	.long 0
	.quad 0x8000   /* from the beginning of the memory */
	.quad 0x800000 /* size */
	.quad 0, 0, 0, 0
	.ascii "ARM\x64"
	.long 0

start_physical:
	ldr x20, =_start
	b 1f
	.globl start_secondary_physical /* a further vCPU: its number in x0 */
start_secondary_physical:
	ldr x20, =_start_secondary
1:
#ifndef FLAT
	ldr x1, =PHYSICAL(low_table)
	msr ttbr0_el1, x1
	ldr x1, =PHYSICAL(high_table) + (0x42 << 48) /* an ASID */
	msr ttbr1_el1, x1
	ldr x1, =TCR
	msr tcr_el1, x1
	mov x1, #0xff /* the only kind of memory in the tables: normal, cached */
	msr mair_el1, x1
	isb
	mrs x1, sctlr_el1
	orr x1, x1, #1
	msr sctlr_el1, x1
	isb
#endif
#ifdef USER
	adr x1, vectors
	msr vbar_el1, x1
	mov x1, #2 /* user mode may read the counter */
	msr cntkctl_el1, x1
	mov x1, #0x3c0 /* EL0, interrupts off */
	msr spsr_el1, x1
	msr elr_el1, x20
	eret

	.balign 2048
vectors:
	.skip 0x400 /* from 64-bit user mode: its svc #0xea1 is a hypercall, #0 PSCI's */
	msr tpidr_el1, x17
	mrs x17, esr_el1
	tst x17, #1
	mrs x17, tpidr_el1
	b.eq 2f
	hvc #0xea1
	eret
2:	hvc #0
	eret
#else
	br x20
#endif
	.ltorg

	.text
	.globl _start
	.type _start, %function
_start:
	entry_begins x30
	mov x29, #0
	ldr x1, =boot_stack_end
	mov sp, x1
	bl kernel_main
1:	b 1b
	entry_ends
	.size _start, . - _start

	.globl _start_secondary
	.type _start_secondary, %function
_start_secondary:
	entry_begins x30
	mov x29, #0
	ldr x1, =stacks + STACK
	mov x2, #STACK
	madd x1, x2, x0, x1
	mov sp, x1
	bl secondary_main
1:	b 1b
	entry_ends
	.size _start_secondary, . - _start_secondary

#else

	.syntax unified
	.arm
	.arch armv7-a
	.arch_extension virt
	.rept 8
	nop
	.endr
	b start_physical
	.long 0x016f2818, 0, 0x800000 /* zImage: magic, start (anywhere), end */

start_physical:
	mov r0, r2
	ldr r8, =_start
	b 1f
	.globl start_secondary_physical /* a further vCPU: its number in r0 */
start_secondary_physical:
	ldr r8, =_start_secondary
1:
#ifndef FLAT
	mov r3, #0
	ldr r1, =TTBCR
	mcr p15, 0, r1, c2, c0, 2
#ifdef LPAE
	ldr r1, =PHYSICAL(low_table)
	mcrr p15, 0, r1, r3, c2
	ldr r1, =PHYSICAL(high_table)
	mcrr p15, 1, r1, r3, c2
	mov r1, #0xff /* the only kind of memory in the tables: normal, cached */
	mcr p15, 0, r1, c10, c2, 0
#else
	ldr r1, =PHYSICAL(low_table)
	mcr p15, 0, r1, c2, c0, 0
	ldr r1, =PHYSICAL(high_table)
	mcr p15, 0, r1, c2, c0, 1
	mvn r1, #0 /* no access rights are looked at */
	mcr p15, 0, r1, c3, c0, 0
#endif
	isb
	mrc p15, 0, r1, c1, c0, 0
	orr r1, r1, #1
	mcr p15, 0, r1, c1, c0, 0
	isb
#endif
#ifdef USER
	adr r1, vectors
	mcr p15, 0, r1, c12, c0, 0
	mov r1, #2 /* user mode may read the counter */
	mcr p15, 0, r1, c14, c1, 0
	mov r1, #0x1d0 /* user mode, interrupts off */
	msr spsr_cxsf, r1
	movs pc, r8

	.balign 32
vectors:
	b vectors
	b vectors
	mcr p15, 0, r12, c13, c0, 4 /* svc #0xea1 is a hypercall, #0 PSCI's */
	ldr r12, [lr, #-4]
	tst r12, #1
	mrc p15, 0, r12, c13, c0, 4
	beq 2f
	hvc #0xea1
	movs pc, lr
2:	hvc #0
	movs pc, lr
#else
	bx r8
#endif
	.ltorg

	.text
	.arm
	.globl _start
	.type _start, %function
_start:
	entry_begins r14
	mov r11, #0
	mov r7, #0
	ldr sp, =boot_stack_end
	bl kernel_main
1:	b 1b
	entry_ends
	.size _start, . - _start

	.globl _start_secondary
	.type _start_secondary, %function
_start_secondary:
	entry_begins r14
	mov r11, #0
	mov r7, #0
	ldr sp, =stacks + STACK
	mov r2, #STACK
	mla sp, r2, r0, sp
	bl secondary_main
1:	b 1b
	entry_ends
	.size _start_secondary, . - _start_secondary
#endif
	.ltorg

	.bss
	.balign 16
	.skip 16384
boot_stack_end:

	.section .note.GNU-stack, "", %progbits
