/* SPDX-License-Identifier: BSD-2-Clause */
/* Three functions own 10, 30 and 60 % of the time. */
#include "guest.h"

KEPT static void function_1(void)
{
	BURN(1);
}

KEPT static void function_2(void)
{
	BURN(3);
}

KEPT static void function_3(void)
{
	BURN(6);
}

KEPT void work_shares(void)
{
	for (;;) {
		function_1();
		function_2();
		function_3();
	}
}
