/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry points of a PVH guest: 32-bit protected mode without paging, ebx at the start info (xen/include/public/arch-x86/
 * hvm/start_info.h). Goes to 64-bit mode, asks C for the ring that the vCPU's work wants, and begins there: _start on the
 * first vCPU, _start_secondary on others. A frame pointer of 0 ends every stack.
 *
 * Addresses are physical ones: the first GiB, and in pages of 4 KiB 64 KiB at 4 GiB, for stacks. C may ask for the code
 * to be moved, to the second GiB; data are used where they were linked, too.
 */
#define PAGE_RWU 0x67
#define LARGE_RWU 0xe7
#define SECONDARY 0x55504650 /* in esi: this is no first vCPU; its number is in edi */
#define TRAMPOLINE 0x8000

	.section .note.Xen, "a", @note
	.balign 4
	.long 4, 4, 18 /* XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz "Xen"
	.long pvh_start

	.section .boot, "ax"
	.code32
	.globl pvh_start
pvh_start:
	cld
	cmpl $SECONDARY, %esi
	je 1f
	xorl %edi, %edi
1:	lgdtl gdt_pointer
	movl %cr4, %eax
	orl $0x20, %eax /* PAE */
	movl %eax, %cr4
	movl $pml4, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx
	rdmsr
	orl $0x100, %eax /* LME */
	wrmsr
	movl %cr0, %eax
	orl $0x80000001, %eax /* PG, PE */
	movl %eax, %cr0
	ljmpl $0x8, $long_mode

	.code64
long_mode:
	movq $high, %rax
	jmp *%rax
high:	movl $0x10, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl %edi, %edi
	movq %rdi, %r12
	shlq $14, %rdi
	leaq boot_stacks + 16384(%rdi), %rsp
	movl %ebx, %ebx
	movq %rbx, %r13
	movq %r12, %rdi
	movq %r13, %rsi
	xorl %ebp, %ebp
	call boot_vcpu /* gives the stack to work on; its lowest bits: the ring */
	movq %rax, %rdx
	andq $-16, %rdx
	andl $3, %eax
	leaq _start(%rip), %rcx
	testq %r12, %r12
	jz 2f
	leaq _start_secondary(%rip), %rcx
2:	addq moved(%rip), %rcx
	movq %r12, %rdi
	testl %eax, %eax
	jnz 3f
	movq %rdx, %rsp
	jmp *%rcx
3:	pushq $0x2b /* to ring 3; it may use I/O ports */
	pushq %rdx
	pushfq /* interrupts as its monitor has them: QEMU's devices send some, and nobody takes them */
	orq $0x3000, (%rsp)
	pushq $0x33
	pushq %rcx
	iretq

	.text
	.globl _start
	.type _start, @function
_start:
	xorl %ebp, %ebp
	call kernel_main
1:	jmp 1b
	.size _start, . - _start

	.globl _start_secondary
	.type _start_secondary, @function
_start_secondary:
	xorl %ebp, %ebp
	call secondary_main
1:	jmp 1b
	.size _start_secondary, . - _start_secondary

/* What a vCPU runs after INIT and SIPI, copied to TRAMPOLINE: from real mode to pvh_start. */
	.globl trampoline, trampoline_end, trampoline_vcpu
	.section .boot
	.code16
trampoline:
	cli
	xorw %ax, %ax
	movw %ax, %ds
	lgdtl TRAMPOLINE + (trampoline_gdt - trampoline)
	movl $1, %eax
	movl %eax, %cr0
	ljmpl $0x18, $TRAMPOLINE + (1f - trampoline)
	.code32
1:	movl $0x10, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl $SECONDARY, %esi
	movl TRAMPOLINE + (trampoline_vcpu - trampoline), %edi
	xorl %ebx, %ebx
	movl $pvh_start, %eax
	jmp *%eax
	.balign 8
trampoline_gdt:
	.word gdt_end - gdt - 1
	.long gdt
trampoline_vcpu:
	.long 0
trampoline_end:

	.data
	.balign 16
gdt:	.quad 0
	.quad 0x00af9a000000ffff /* 0x08: 64-bit code */
	.quad 0x00cf92000000ffff /* 0x10: data */
	.quad 0x00cf9a000000ffff /* 0x18: 32-bit code */
	.quad 0
	.quad 0x00cff2000000ffff /* 0x28: data of ring 3 */
	.quad 0x00affa000000ffff /* 0x30: 64-bit code of ring 3 */
gdt_end:
gdt_pointer:
	.word gdt_end - gdt - 1
	.long gdt

	.balign 4096
	.globl pml4
pml4:	.quad pdpt_low + PAGE_RWU
	.fill 511, 8, 0
pdpt_low:
	.quad pd + PAGE_RWU
	.quad pd_moved + PAGE_RWU
	.fill 2, 8, 0
	.quad pd_far + PAGE_RWU
	.fill 507, 8, 0
pd_far:	.quad pt_far + PAGE_RWU
	.fill 511, 8, 0
	.globl pd, pd_moved
pd_moved:
	.fill 512, 8, 0
pd:	.set at, LARGE_RWU
	.rept 512
	.quad at
	.set at, at + 0x200000
	.endr
pt_far:	.set at, 0x100000000 + PAGE_RWU
	.rept 16
	.quad at
	.set at, at + 0x1000
	.endr
	.fill 496, 8, 0

	.bss
	.balign 4096
boot_stacks:
	.skip 8 * 16384

	.section .note.GNU-stack, "", @progbits
