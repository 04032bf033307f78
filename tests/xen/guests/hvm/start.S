/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry points of a PVH guest, or of an HVM guest whose firmware this is. Xen enters it with 32-bit code, paging off, flat
 * segments and the physical address of hvm_start_info in ebx (docs/misc/pvh.pandoc). A device model's firmware enters
 * it in the same way as a Multiboot kernel, with that of the Multiboot information in ebx and a magic number in eax.
 * It turns on what its mode needs, and goes on in _start. A frame pointer of 0 ends every stack.
 */
#include "../entry.inc"

#define PHYSICAL(symbol) (symbol - BASE)

	note XEN_ELFNOTE_PHYS32_ENTRY, .long PHYSICAL(start_physical)

#ifdef LONG
#define CODE .code64
#define BP %rbp
#define SP %rsp
#define IP rip
#define CR4 0x20 /* PAE */
#else
#define CODE .code32
#define BP %ebp
#define SP %esp
#define IP eip
#ifdef PAE
#define CR4 0x20
#elif defined(TWO_LARGE)
#define CR4 0x10 /* PSE */
#else
#define CR4 0
#endif
#endif

/* A loader finds it at the file's beginning (Multiboot specification 0.6.96, 3.1). With addresses, it reads no ELF. */
#define MULTIBOOT_MAGIC 0x1badb002
#define MULTIBOOT_ADDRESSES 0x10000
	.section .multiboot, "a", @progbits
multiboot:
	.long MULTIBOOT_MAGIC, MULTIBOOT_ADDRESSES, -(MULTIBOOT_MAGIC + MULTIBOOT_ADDRESSES)
	.long PHYSICAL(multiboot), PHYSICAL(multiboot), PHYSICAL(data_end), PHYSICAL(bss_end), PHYSICAL(start_physical)

	.text
	.code32
	.globl start_physical
	.type start_physical, @function
start_physical:
	movl %eax, PHYSICAL(boot_magic)
	movl %ebx, PHYSICAL(boot_info)
	lgdt PHYSICAL(segments_pointer)
#ifndef FLAT
	movl $CR4, %eax
	movl %eax, %cr4
	movl $PHYSICAL(page_tables), %eax
	movl %eax, %cr3
#ifdef LONG
	movl $0xc0000080, %ecx /* EFER */
	rdmsr
	orl $0x100, %eax
	wrmsr
#endif
	movl %cr0, %eax
	orl $0x80000001, %eax
	movl %eax, %cr0
#ifdef LONG
	ljmp $8, $PHYSICAL(1f)
	.code64
1:	movabsq $_start, %rax
	jmp *%rax
#else
	movl $_start, %eax
	jmp *%eax
#endif
#else
	jmp _start
#endif
	.size start_physical, . - start_physical

	CODE
	.globl _start
	.type _start, @function
_start:
	entry_begins IP
	xor BP, BP
	mov $boot_stack_end, SP
#ifdef LONG
	movl boot_info, %edi
	addq $BASE, %rdi
#else
	movl boot_info, %eax
	addl $BASE, %eax
	subl $12, SP
	pushl %eax
#endif
	call kernel_main
1:	jmp 1b
	entry_ends
	.size _start, . - _start

/* A further vCPU: its number in rdi, or edi, its stack already in rsp. */
	.globl _start_secondary
	.type _start_secondary, @function
_start_secondary:
	entry_begins IP
	xor BP, BP
#ifndef LONG
	subl $12, SP
	pushl %edi
#endif
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

	.data
	.globl boot_magic
boot_magic:
	.long 0
boot_info:
	.long 0
	.balign 8
segments: /* from 8 on: this mode's code, data, 32-bit code, 16-bit code */
#ifdef LONG
	.quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cf9b000000ffff, 0x00009b000000ffff
#else
	.quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00cf9b000000ffff, 0x00009b000000ffff
#endif
segments_pointer:
	.short 39
	.long PHYSICAL(segments)

	.bss
	.balign 4096
	.skip 16384
boot_stack_end:

	.section .note.GNU-stack, "", @progbits
