/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest with a rhythm: what it does depends on the time alone, and each cycle begins anew. */
#include "guest.h"

/* Stays in the function this stands in until the cycle has reached @percent; each cycle is as long as the others. */
#define STAY(cycle, from, percent) \
	do { \
		uint64_t at = tsc() % (cycle); \
		while (at >= (cycle) / 100 * (from) && at < (cycle) / 100 * (percent)) \
			at = tsc() % (cycle); \
	} while (0)

KEPT static void half(uint64_t cycle)
{
	STAY(cycle, 0, 50);
}

KEPT static void most_of_the_rest(uint64_t cycle)
{
	STAY(cycle, 50, 80);
}

KEPT static void some(uint64_t cycle)
{
	STAY(cycle, 80, 95);
}

KEPT static void little(uint64_t cycle)
{
	STAY(cycle, 95, 101);
}

KEPT void work_lockstep(uint64_t cycle)
{
	for (;;) {
		half(cycle);
		most_of_the_rest(cycle);
		some(cycle);
		little(cycle);
	}
}
