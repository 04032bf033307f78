/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves that spin with a register as hostile.c wants it, or in another mode: NAME(value, turns). None is interrupted:
 * nothing sends this guest interrupts.
 */
#define PHYSICAL(symbol) (symbol - BASE)

	.text
.macro begin name
	.globl \name
	.type \name, @function
\name:
.endm

#ifdef LONG
.macro spin name, register
	begin \name
	movq %r\register, %r8
	movq %rdi, %r\register
1:	decq %rsi
	jnz 1b
	movq %r8, %r\register
	ret
	.size \name, . - \name
.endm
#else
.macro spin name, register
	begin \name
	movl 4(%esp), %eax
	movl 8(%esp), %ecx
	movl %e\register, %edx
	movl %eax, %e\register
1:	decl %ecx
	jnz 1b
	movl %edx, %e\register
	ret
	.size \name, . - \name
.endm
#endif

	spin fp_loop, bp
	spin fp_cycle, bp
	spin fp_down, bp
	spin fp_odd, bp
	spin fp_nowhere, bp
	spin fp_over_pages, bp
	spin fp_into_hole, bp
	spin fp_endless, bp
	spin fp_outside, bp
	spin fp_tables, bp
	spin fp_flipping, bp
	spin fp_given_back, bp
	spin fp_moved_1, bp
	spin fp_moved_2, bp
	spin fp_untouched, bp
	spin fp_random, bp
	spin sp_odd, sp
	spin sp_outside, sp
	spin sp_top, sp
	spin sp_random, sp

/* As in guest.h: Xen carries out what comes next. Memory is at its physical addresses here, paging on or off. */
.macro before_hypercall
#ifdef PAE
	andl $~0x20, PHYSICAL(pae_root)
	andl $~0x20, PHYSICAL(pae_root) + 24
#endif
.endm

	begin other_mode
#if defined(LONG)
/*
 * In 32-bit code of a 64-bit kernel, where the same memory is at its physical addresses. The upper halves of all
 * registers may be lost there.
 */
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	pushq %rbp
	movq %rsp, %rbp
	movq %rsi, %rcx
	movq $BASE, %rax
	subq %rax, %rsp
	subq %rax, %rbp
	movq $PHYSICAL(3f), %rax
	jmp *%rax
3:	lcall *thirty_two
	movq $1f, %rax
	jmp *%rax
1:	movq $BASE, %rax
	movl %esp, %esp
	addq %rax, %rsp
	popq %rbp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	ret
	.code32
spin_at_physical:
2:	decl %ecx
	jnz 2b
	lret
	.code64
	.data
thirty_two:
	.long PHYSICAL(2b)
	.short 0x18
	.text
#elif defined(FLAT)
/* In real mode: a copy of the code below at REAL, where real mode can reach it. */
#define REAL 0x7000
	pushl %ebp
	movl %esp, %ebp
	pushl %esi
	pushl %edi
	movl $real_begin, %esi
	movl $REAL, %edi
	movl $(real_end - real_begin), %ecx
	rep movsb
	movl 12(%ebp), %ecx
	ljmp $0x20, $REAL
	.code16
real_begin:
	movl %cr0, %eax
	andl $~1, %eax
	movl %eax, %cr0
	ljmp $(REAL >> 4), $(1f - real_begin)
1:	decl %ecx
	jnz 1b
	orl $1, %eax
	movl %eax, %cr0
	ljmpl $8, $2f
real_end:
	.code32
2:	popl %edi
	popl %esi
	popl %ebp
	ret
#else
/* With paging off. */
	pushl %ebp
	movl %esp, %ebp
	movl 12(%ebp), %ecx
	movl $PHYSICAL(1f), %eax
	jmp *%eax
1:	subl $BASE, %ebp
	movl $0x11, %eax
	before_hypercall
	movl %eax, %cr0
spin_at_physical:
2:	decl %ecx
	jnz 2b
	orl $0x80000000, %eax
	before_hypercall
	movl %eax, %cr0
	addl $BASE, %ebp
	movl $3f, %eax
	jmp *%eax
3:	popl %ebp
	ret
#endif
	.size other_mode, . - other_mode

	.section .note.GNU-stack, "", @progbits
