/* SPDX-License-Identifier: BSD-2-Clause */
/* Two levels: function_1 calls function_3; function_2 calls function_4 and function_5, and works itself. */
#include "guest.h"

KEPT static void function_3(void)
{
	BURN(3);
}

KEPT static void function_4(void)
{
	BURN(4);
}

KEPT static void function_5(void)
{
	BURN(2);
}

KEPT static void function_1(void)
{
	function_3();
	AFTER_CALL();
}

KEPT static void function_2(void)
{
	function_4();
	BURN(1);
	function_5();
	AFTER_CALL();
}

KEPT void work_levels(void)
{
	for (;;) {
		function_1();
		function_2();
	}
}
