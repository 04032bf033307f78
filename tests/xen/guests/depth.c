/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack of exactly so many frames: _start, kernel_main, work_depth, deeper() over and over, bottom(). */
#include "guest.h"

KEPT static void bottom(void)
{
	for (;;)
		BURN(10);
}

KEPT static void deeper(unsigned frames)
{
	if (frames > 1)
		deeper(frames - 1);
	else
		bottom();
	AFTER_CALL();
}

/* Three frames are the least: without bottom() below, this one burns itself. */
KEPT void work_depth(unsigned frames)
{
	if (frames > 4)
		deeper(frames - 4);
	else if (frames == 4)
		bottom();
	for (;;)
		BURN(10);
}
