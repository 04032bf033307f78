/* SPDX-License-Identifier: BSD-2-Clause */
/* layout.h - of ARM guests, for assembler and C: where their memory is, and the stacks of their vCPUs. */
#define RAM 0x40000000 /* GUEST_RAM0_BASE of xen/include/public/arch-arm.h */
#define PHYSICAL(symbol) ((symbol)-BASE + RAM)
#define STACK 8192
