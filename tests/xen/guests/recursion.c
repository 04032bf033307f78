/* SPDX-License-Identifier: BSD-2-Clause */
/* descend() calls itself four times over, working a little on every level. */
#include "guest.h"

KEPT static void descend(unsigned levels)
{
	BURN(2);
	if (levels > 1)
		descend(levels - 1);
	AFTER_CALL();
}

KEPT void work_recursion(void)
{
	for (;;)
		descend(5);
}
