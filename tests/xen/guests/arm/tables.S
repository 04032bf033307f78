/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables: the beginning of the memory at its physical addresses by one large block, for the instructions that turn
 * the MMU on, and again from BASE on, where this code was linked: as pages at first, then as blocks where the format
 * has them, in which the stacks of all vCPUs but the first are. Formats: Arm ARM, D8.3 and G5.4, G5.5.
 */
#include "layout.h"

#define KERNEL_BLOCK 0x701 /* accessed, inner shareable, of kind 0, only for the kernel */
#define TABLE 0x003
#ifdef USER /* what was linked is the user's, too */
#define BLOCK 0x741
#define PAGE 0x743
#else
#define BLOCK KERNEL_BLOCK
#define PAGE 0x703
#endif

.macro entries count, first, size, flags
	.set address, \first
	.rept \count
	.quad address + \flags
	.set address, address + \size
	.endr
.endm

	.data
	.globl low_table, high_table, level_3
#if defined(GRANULE) && GRANULE == 12 /* high: levels 0 to 3; low, of 39 bits: from level 1 on */
	.balign 4096
high_table:
	.quad PHYSICAL(level_1) + TABLE
	.balign 4096
level_1:
	.quad 0, 0, PHYSICAL(level_2) + TABLE
	.balign 4096
level_2:
	.quad PHYSICAL(level_3) + TABLE
	entries 15, RAM + 0x200000, 0x200000, BLOCK
	.balign 4096
level_3:
	entries 512, RAM, 0x1000, PAGE
low_table:
	.quad 0, RAM + KERNEL_BLOCK, PHYSICAL(level_2) + TABLE
	.balign 4096
#elif defined(GRANULE) && GRANULE == 14 /* high: levels 0 to 3; low, of 36 bits: level 2 */
	.balign 16384
high_table:
	.quad PHYSICAL(level_1) + TABLE
	.balign 16384
level_1:
	.quad PHYSICAL(level_2) + TABLE
	.balign 16384
level_2:
	.fill 64, 8, 0
	.quad PHYSICAL(level_3) + TABLE
	.balign 16384
level_3:
	entries 2048, RAM, 0x4000, PAGE
low_table:
	.fill 32, 8, 0
	.quad RAM + KERNEL_BLOCK
	.balign 16384
#elif defined(GRANULE) /* high: levels 1 to 3; low, of 39 bits: level 2 */
	.balign 65536
high_table:
	.quad PHYSICAL(level_2) + TABLE
	.balign 65536
level_2:
	.fill 4, 8, 0
	.quad PHYSICAL(level_3) + TABLE
	.balign 65536
level_3:
	entries 512, RAM, 0x10000, PAGE
	.balign 65536
low_table:
	.fill 2, 8, 0
	.quad RAM + KERNEL_BLOCK
	.balign 65536
#elif defined(LPAE) /* high, of 30 bits: levels 2 and 3; low, of 31 bits: from level 1 on */
	.balign 4096
high_table:
	.long PHYSICAL(level_3) + TABLE, 0
	entries 15, RAM + 0x200000, 0x200000, BLOCK
	.balign 4096
level_3:
	entries 512, RAM, 0x1000, PAGE
low_table:
	.long PHYSICAL(high_table) + TABLE, 0
	.quad RAM + KERNEL_BLOCK
	.balign 4096
#elif defined(SHORT) /* high: tables of small pages and of large ones, sections, a supersection; low: a section */
#define SECTION 0x1540e /* inner and outer cached, shareable, only for the kernel */
	.balign 16384
high_table:
	.fill 3072, 4, 0
	.long PHYSICAL(small_0) + 1, PHYSICAL(small_1) + 1, PHYSICAL(small_2) + 1, RAM + 0x300000 + SECTION
	.long PHYSICAL(large) + 1
	.set address, RAM + 0x500000
	.rept 11
	.long address + SECTION
	.set address, address + 0x100000
	.endr
	.rept 16
	.long RAM + 0x1000000 + SECTION + (1 << 18)
	.endr
	.balign 16384
	.set address, RAM
small_0:
	.rept 256
	.long address + 0x55e
	.set address, address + 0x1000
	.endr
small_1:
	.rept 256
	.long address + 0x55e
	.set address, address + 0x1000
	.endr
small_2:
	.rept 256
	.long address + 0x55e
	.set address, address + 0x1000
	.endr
	.set address, RAM + 0x400000
large:
	.rept 16
	.rept 16
	.long address + 0x541d
	.endr
	.set address, address + 0x10000
	.endr
	.balign 8192
low_table: /* of half the addresses */
	.fill 1024, 4, 0
	.long RAM + SECTION
	.balign 8192
#endif

	.section .note.GNU-stack, "", %progbits
