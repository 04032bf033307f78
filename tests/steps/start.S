/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry point, as assembler has them: no unwind table, and a frame pointer of 0 that ends every walk. */
	.globl _start
#if defined(__x86_64__)
	.type _start, @function
_start:
	xorl %ebp, %ebp
	andq $-16, %rsp
	call run
	movl %eax, %edi
	movl $60, %eax
	syscall
	hlt
#elif defined(__i386__)
	.type _start, @function
_start:
	xorl %ebp, %ebp
	andl $-16, %esp
	call run
	movl %eax, %ebx
	movl $1, %eax
	int $0x80
	hlt
#elif defined(__aarch64__)
	.type _start, %function
_start:
	mov x29, #0
	bl run
	mov x8, #93
	svc #0
	udf #0
#elif defined(__arm__)
	.arm
	.type _start, %function
_start:
	mov fp, #0
	bl run
	mov r7, #1
	svc #0
	udf #0
#endif
	.size _start, . - _start
	.section .note.GNU-stack, "", %progbits
