/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.c - main() of each unit test: runs what the test has registered (unit.h). */
#include "tests/unit/unit.h"

#include <unistd.h>

/* Of as many as are registered: cmocka passes over those without a function. */
static struct CMUnitTest tests[100];

void unit_add(const char *name, CMUnitTestFunction run, CMFixtureFunction before, CMFixtureFunction after)
{
	static size_t n;

	if (n == COUNT(tests))
		abort();
	tests[n++] = (struct CMUnitTest){name, run, before, after, NULL};
}

int main(void)
{
	const char *limit = getenv("LIMIT");

	alarm(limit ? (unsigned)atoi(limit) : 600); /* only what hangs runs for so many seconds */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
