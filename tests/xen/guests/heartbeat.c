/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts for ever what it has done; a reader of its memory, or of its stacks, can see that it goes on. */
#include "guest.h"

volatile uint64_t beats;

KEPT static void beat(void)
{
	BURN(1);
	beats++;
}

KEPT void work_heartbeat(void)
{
	for (;;)
		beat();
}
