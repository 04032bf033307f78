/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit.h - what every unit test includes: cmocka, the headers it wants before it, and the ways to write a test.
 *
 *   TEST(name) { ... }                                a test
 *   FIXTURE_TEST(name) { ... }                        one with a struct fixture *f of its own: it begins as zeros, then
 *                                                     come setup(f), the test, and in any case teardown(f)
 *   TEST_WITH(name, type, f, setup, teardown) { ... } the same by other names
 *
 * Each registers itself before main(), which is that of unit.c and runs them in the order of the file.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

void unit_add(const char *name, CMUnitTestFunction run, CMFixtureFunction before, CMFixtureFunction after);

#define UNIT_ADD(name, before, after) \
	__attribute__((constructor)) static void unit_add_##name(void) \
	{ \
		unit_add(#name, unit_run_##name, before, after); \
	}

#define TEST(name) \
	static void name(void); \
	static void unit_run_##name(void **state) \
	{ \
		(void)state; \
		name(); \
	} \
	UNIT_ADD(name, NULL, NULL) \
	static void name(void)

#define TEST_WITH(name, type, f, setup, teardown) \
	static void name(type *); \
	static void unit_run_##name(void **state) \
	{ \
		name(*state); \
	} \
	static int unit_before_##name(void **state) \
	{ \
		*state = calloc(1, sizeof(type)); \
		assert_non_null(*state); \
		setup(*state); \
		return 0; \
	} \
	static int unit_after_##name(void **state) \
	{ \
		teardown(*state); \
		free(*state); \
		return 0; \
	} \
	UNIT_ADD(name, unit_before_##name, unit_after_##name) \
	static void name(__attribute__((unused)) type *f)

#define FIXTURE_TEST(name) TEST_WITH(name, struct fixture, f, setup, teardown)

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
