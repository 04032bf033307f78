/* SPDX-License-Identifier: BSD-2-Clause */
/* x86.h - registers by their DWARF numbers (System V ABI: x86-64, figure 3.36; i386, table 2.14). */
#ifndef REPORT_ISA_X86_H
#define REPORT_ISA_X86_H

enum {
	X86_RAX,
	X86_RDX,
	X86_RCX,
	X86_RBX,
	X86_RSI,
	X86_RDI,
	X86_FP,
	X86_SP,
	X86_R8,
	X86_R9,
	X86_R10,
	X86_R11,
	X86_R12,
	X86_R13,
	X86_R14,
	X86_R15,
	X86_REGS
};

enum { I386_EAX, I386_ECX, I386_EDX, I386_EBX, I386_SP, I386_FP, I386_ESI, I386_EDI, I386_IP, I386_REGS = I386_IP };

#endif
