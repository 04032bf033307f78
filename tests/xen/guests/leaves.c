/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What frame pointers do not show: the time is spent in leaf functions, which get no frame where the compiler may
 * leave it out, so that a walk by frame pointers loses who called them. Two callers share a leaf; one leaf is called
 * through a pointer, one by a jump, one from the depth of a recursion.
 */
#include "guest.h"

KEPT static void leaf_shared(unsigned units)
{
	BURN(units);
}

/* Pushes registers and moves the stack pointer. */
KEPT static uint64_t leaf_registers(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t e = a ^ 1, f = b ^ 2, g = c ^ 3, h = d ^ 4, i = a + b, j = c + d;

	BURN(3);
	for (int n = 0; n < 4; n++) {
		a += b * e;
		b ^= c + f;
		c -= d * g;
		d += a ^ h;
		e *= i;
		f -= j;
		g ^= a;
		h += b;
		i -= c;
		j ^= d;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j;
}

KEPT static void leaf_buffer(unsigned units)
{
	volatile uint8_t room[160];

	room[0] = 1;
	BURN(units);
	room[159] = room[0];
}

KEPT static void caller_1(void)
{
	leaf_shared(2);
	AFTER_CALL();
}

KEPT static void caller_2(void)
{
	leaf_shared(4);
	AFTER_CALL();
	leaf_registers(1, 2, 3, 4);
	AFTER_CALL();
}

KEPT static void through_pointer(void (*volatile f)(unsigned), unsigned units)
{
	f(units);
	AFTER_CALL();
}

/* The last thing this does is a jump to the leaf. */
KEPT static void by_jump(unsigned units)
{
	leaf_buffer(units);
}

KEPT static void climb(unsigned levels)
{
	if (levels > 0)
		climb(levels - 1);
	else
		leaf_shared(3);
	AFTER_CALL();
}

KEPT void work_leaves(void)
{
	for (;;) {
		caller_1();
		caller_2();
		through_pointer(leaf_buffer, 5);
		by_jump(3);
		climb(3);
	}
}
