/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.h - what every unit test includes: cmocka and the headers it wants before it. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* Only what hangs runs for so long: the alarm ends it. */
__attribute__((constructor)) static void limit_time(void)
{
	alarm(600);
}

/*
 * For a test that needs what is not here: says so and passes. cmocka's skip() prints "not ok # SKIP", which prove counts
 * as a failure.
 */
#define pass_without(what) \
	do { \
		print_message("# not tested, without %s\n", what); \
		return; \
	} while (0)

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#endif
