/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry points of a 64-bit PV guest. Xen's domain builder has made page tables and entered us in 64-bit mode with
 * start_info in rsi (xen/include/public/xen.h, "start-of-day memory layout"). A frame pointer of 0 ends every stack.
 */
#include "../entry.inc"

	note XEN_ELFNOTE_XEN_VERSION, .asciz "xen-3.0"
	note XEN_ELFNOTE_GUEST_OS, .asciz "uniprof-lab"
	note XEN_ELFNOTE_LOADER, .asciz "generic"
	note XEN_ELFNOTE_VIRT_BASE, .quad BASE
	note XEN_ELFNOTE_PADDR_OFFSET, .quad 0
	note XEN_ELFNOTE_ENTRY, .quad _start
	note XEN_ELFNOTE_HYPERCALL_PAGE, .quad hypercall_page

	.text
	.globl _start
	.type _start, @function
_start:
	entry_begins rip
	xorl %ebp, %ebp
	movq $boot_stack_end, %rsp
	movq %rsi, %rdi
	call kernel_main
1:	jmp 1b
	entry_ends
	.size _start, . - _start

/* A further vCPU: its number in rdi, its stack already in rsp. */
	.globl _start_secondary
	.type _start_secondary, @function
_start_secondary:
	entry_begins rip
	xorl %ebp, %ebp
	call secondary_main
1:	jmp 1b
	entry_ends
	.size _start_secondary, . - _start_secondary

	.balign 4096
	.globl hypercall_page
	.type hypercall_page, @function
hypercall_page:
	.skip 4096
	.size hypercall_page, . - hypercall_page

	.bss
	.balign 4096
	.skip 16384
boot_stack_end:

	.section .note.GNU-stack, "", @progbits
