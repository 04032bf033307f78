/* SPDX-License-Identifier: BSD-2-Clause */
/* The recent part of a profile that grows, the part before it, and what was there when it was frozen. */
#include "tests/unit/unit.h"

#include "report/top/window.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

/* A profile of two stacks, and what they weigh after @seconds: 1 and 10 a second; the second is new after 5 s. */
struct growing {
	struct stack stacks[2];
	struct profile p;
};

static void grow_until(struct growing *g, uint64_t seconds)
{
	uint64_t late = seconds > 5 ? seconds - 5 : 0;

	g->stacks[0] = (struct stack){.samples = seconds, .cpu_ns = 100 * seconds, .time = 1000 * seconds};
	g->stacks[1] = (struct stack){.samples = 10 * late, .cpu_ns = 0, .time = 10000 * late};
	g->p = (struct profile){.stacks = g->stacks, .nstacks = late ? 2 : 1};
}

static void expect(const struct growing *g, const struct window_mark *from, const struct window_mark *to,
                   uint64_t first, uint64_t second)
{
	struct profile part;

	assert_int_equal(window_part(&g->p, from, to, &part), 0);
	assert_int_equal(part.nstacks, g->p.nstacks);
	assert_int_equal(part.stacks[0].samples, first);
	assert_int_equal(part.stacks[0].cpu_ns, 100 * first);
	assert_int_equal(part.stacks[0].time, 1000 * first);
	if (part.nstacks > 1) {
		assert_int_equal(part.stacks[1].samples, second);
		assert_int_equal(part.stacks[1].time, 1000 * second);
	}
	free(part.stacks);
}

TEST(parts_of_a_profile)
{
	struct growing g;
	struct window w = {0};
	struct window_mark frozen = {0};

	assert_null(window_find(&w, SECOND));
	for (uint64_t s = 1; s <= 12; s++) {
		grow_until(&g, s);
		assert_int_equal(window_mark(&w, &g.p, s * SECOND), 0);
	}
	assert_null(window_find(&w, SECOND - 1));
	assert_int_equal(window_find(&w, SECOND)->time_ns, SECOND);
	assert_int_equal(window_find(&w, 9 * SECOND / 2)->time_ns, 4 * SECOND);
	assert_int_equal(window_find(&w, 99 * SECOND)->time_ns, 12 * SECOND);
	expect(&g, NULL, NULL, 12, 70);
	expect(&g, window_find(&w, 2 * SECOND), NULL, 10, 70);
	expect(&g, window_find(&w, 7 * SECOND), NULL, 5, 50);
	expect(&g, NULL, window_find(&w, 2 * SECOND), 2, 0);
	expect(&g, window_find(&w, 2 * SECOND), window_find(&w, 7 * SECOND), 5, 20);

	assert_int_equal(window_note(&frozen, &g.p, 12 * SECOND), 0);
	grow_until(&g, 20);
	expect(&g, window_find(&w, 2 * SECOND), &frozen, 10, 70);
	assert_int_equal(window_note(&frozen, &g.p, 20 * SECOND), 0);
	expect(&g, NULL, &frozen, 20, 150);
	free(frozen.of);
	window_free(&w);
}

/* The oldest go: twenty seconds before now are there, whatever came before. */
TEST(marks_are_few)
{
	struct growing g;
	struct window w = {0};

	for (uint64_t s = 1; s <= 1000; s++) {
		grow_until(&g, s);
		assert_int_equal(window_mark(&w, &g.p, s * SECOND), 0);
	}
	assert_int_equal(window_find(&w, 980 * SECOND)->time_ns, 980 * SECOND);
	assert_null(window_find(&w, 900 * SECOND));
	expect(&g, window_find(&w, 980 * SECOND), window_find(&w, 990 * SECOND), 10, 100);
	window_free(&w);
}
