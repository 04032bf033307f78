/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves that spin with a register as hostile.c wants it: NAME(value, turns). None can be interrupted in it: all events are masked.
 */
	.text
.macro spin name, register
	.globl \name
	.type \name, @function
\name:
	movq %\register, %r8
	movq %rdi, %\register
1:	decq %rsi
	jnz 1b
	movq %r8, %\register
	ret
	.size \name, . - \name
.endm

	spin fp_loop, rbp
	spin fp_cycle, rbp
	spin fp_down, rbp
	spin fp_odd, rbp
	spin fp_hole, rbp
	spin fp_last_word, rbp
	spin fp_nowhere, rbp
	spin fp_xen, rbp
	spin fp_over_pages, rbp
	spin fp_into_hole, rbp
	spin fp_endless, rbp
	spin fp_tables, rbp
	spin fp_flipping, rbp
	spin fp_random, rbp
	spin sp_odd, rsp
	spin sp_hole, rsp
	spin sp_top, rsp
	spin sp_xen, rsp
	spin sp_random, rsp

	.section .note.GNU-stack, "", @progbits
