/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two address spaces of TTBR0, one after the other, in which one address is that of two stacks: who takes the one for
 * the other finds calls that there are not.
 */
#include "../guest.h"
#include "layout.h"

#if defined(GRANULE) && GRANULE == 12
#define LOW 0xc0000000ul /* where both have their stack */
#define SIZE 0x200000ul
#define BLOCK 0xf01ul /* accessed, inner shareable, of kind 0, not global */
#define TABLE 3ul
#define MEMORY 0x1000000ul /* after the beginning of the memory: a block each */

static uint64_t level_1[2][512] __attribute__((aligned(4096))), level_2[2][512] __attribute__((aligned(4096)));

/* Calls @f in the space of @ttbr0, on another stack; the caller's frame is above that of @f. */
void call_in(uint64_t ttbr0, uint64_t sp, void (*f)(void));
__asm__(".pushsection .text\n .globl call_in\n .type call_in, %function\ncall_in:\n"
        "stp x29, x30, [sp, #-16]!\n mov x29, sp\n msr ttbr0_el1, x0\n isb\n mov sp, x1\n blr x2\n mov sp, x29\n"
        "ldp x29, x30, [sp], #16\n ret\n .size call_in, . - call_in\n .popsection\n");

KEPT static void leaf_1(void)
{
	BURN(4);
}

KEPT static void leaf_2(void)
{
	BURN(4);
}

KEPT static void space_1(void)
{
	leaf_1();
	AFTER_CALL();
}

KEPT static void space_2(void)
{
	leaf_2();
	AFTER_CALL();
}

KEPT void work_spaces(void)
{
	uint64_t ttbr0[2];

	for (uint64_t i = 0; i < 2; i++) {
		level_2[i][0] = (RAM + MEMORY + i * SIZE) | BLOCK;
		level_1[i][LOW >> 30] = PHYSICAL((uint64_t)level_2[i]) | TABLE;
		ttbr0[i] = PHYSICAL((uint64_t)level_1[i]) | (i + 1) << 48;
	}
	__asm__ volatile("dsb ish" : : : "memory");
	for (;;) {
		call_in(ttbr0[0], LOW + SIZE, space_1);
		call_in(ttbr0[1], LOW + SIZE, space_2);
	}
}
#endif
