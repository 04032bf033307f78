/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page tables: the first memory at its physical addresses and again from BASE on, where this code was linked. Pages are
 * of 4 KiB at first, then large ones where the mode has them: the stacks of all vCPUs but the first are there.
 */
#define PHYSICAL(symbol) (symbol - BASE)
#define TABLE 7    /* present, writable, for user mode */
#define LARGE 0x87

	.data
	.balign 4096
	.globl page_tables, directory, table
page_tables:
#if defined(LONG)
	.long PHYSICAL(low) + TABLE, 0
	.fill 510, 8, 0
	.long PHYSICAL(high) + TABLE, 0
low:	.long PHYSICAL(directory) + TABLE, 0
	.fill 511, 8, 0
high:	.fill 510, 8, 0
	.long PHYSICAL(directory) + TABLE, 0, 0, 0
#elif defined(PAE)
	.globl pae_root
pae_root: /* without the flags of other tables */
	.long PHYSICAL(directory) + 1, 0, 0, 0, 0, 0, PHYSICAL(directory) + 1, 0
	.balign 4096
#endif

#if defined(LONG) || defined(PAE)
directory:
	.long PHYSICAL(table) + TABLE, 0
	.set page, 0x200000
	.rept 511
	.quad page + LARGE
	.set page, page + 0x200000
	.endr
table:
	.set page, 0
	.rept 512
	.quad page + TABLE
	.set page, page + 4096
	.endr
#elif defined(TWO_LARGE) || defined(TWO_SMALL)
	.set half, 0
	.rept 2
	.long PHYSICAL(table) + TABLE
#ifdef TWO_SMALL
	.long PHYSICAL(table) + 4096 + TABLE
	.fill 254, 4, 0
#else
	.set page, 0x400000
	.rept 255
	.long page + LARGE
	.set page, page + 0x400000
	.endr
#endif
	.if half == 0
	.fill 512, 4, 0
	.endif
	.set half, 1
	.endr
table:
	.set page, 0
	.rept 2048
	.long page + TABLE
	.set page, page + 4096
	.endr
#endif

	.section .note.GNU-stack, "", @progbits
