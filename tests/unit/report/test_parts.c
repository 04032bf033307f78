/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of two parts: which belong together, by their symbols' names, and that finding them takes little time. */
#include "tests/unit/unit.h"

#include "report/unwind/parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS 40000u
#define SIZE 16u

static void add(struct symbols *s, uint64_t start, uint64_t size, const char *name)
{
	assert_int_equal(symbols_add(s, (struct symbol){.start = start, .size = size}, name, strlen(name)), 0);
}

static void expect(const struct symbols *s, const struct cold *c, uint64_t address, uint64_t hot, uint64_t cold)
{
	struct part parts[PARTS];

	assert_true(parts_find(s, c, address, parts));
	assert_int_equal(parts[0].start, hot);
	assert_int_equal(parts[1].start, cold);
	assert_true(parts_have(parts, address));
	assert_false(parts_have(parts, parts[0].end));
}

TEST(parts_of_functions)
{
	struct symbols s = {0};
	struct part parts[PARTS];
	struct cold c = {0};

	add(&s, 0x1000, 0x100, "split");
	add(&s, 0x1040, 0x10, "label_inside");
	add(&s, 0x1100, 0x100, "whole");
	add(&s, 0x1200, 0x100, "twice");
	add(&s, 0x1300, 0x100, "twice");
	add(&s, 0x1400, 0x100, "split.colder");
	add(&s, 0x2000, 0x100, "split.cold");
	add(&s, 0x2100, 0x100, "twice.cold.5");
	add(&s, 0x2200, 0x100, "twice.cold");
	add(&s, 0x2300, 0x100, "alone.cold");
	assert_int_equal(symbols_sort(&s), 0);
	assert_int_equal(cold_list(&c, &s), 0);
	expect(&s, &c, 0x1001, 0x1000, 0x2000);
	expect(&s, &c, 0x10ff, 0x1000, 0x2000);
	expect(&s, &c, 0x2001, 0x1000, 0x2000);
	expect(&s, &c, 0x1048, 0x1040, 0);
	expect(&s, &c, 0x1101, 0x1100, 0);
	expect(&s, &c, 0x1301, 0x1300, 0x2100);
	expect(&s, &c, 0x2101, 0x1200, 0x2100);
	expect(&s, &c, 0x2201, 0x1200, 0x2200);
	expect(&s, &c, 0x1401, 0x1400, 0);
	assert_false(parts_find(&s, &c, 0x2301, parts));
	assert_false(parts_find(&s, &c, 0x3000, parts));
	cold_free(&c);
	symbols_free(&s);
}

TEST(an_image_without_symbols)
{
	struct symbols s = {0};
	struct cold c = {0};

	assert_int_equal(cold_list(&c, &s), 0);
	assert_int_equal(c.n, 0);
	cold_free(&c);
}

/* By CPU time, so that other work on the machine does not matter. */
TEST(many_parts_take_little_time)
{
	const uint64_t cold = FUNCTIONS * SIZE;
	struct symbols s = {0};
	struct cold c = {0};
	clock_t began = clock();

	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function_%u", (unsigned)i);
		add(&s, i * SIZE, SIZE, name);
		snprintf(name, sizeof(name), "function_%u.cold", (unsigned)i);
		add(&s, cold + i * SIZE, SIZE, name);
	}
	assert_int_equal(symbols_sort(&s), 0);
	assert_int_equal(cold_list(&c, &s), 0);
	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		expect(&s, &c, i * SIZE, i * SIZE, cold + i * SIZE);
		expect(&s, &c, cold + i * SIZE, i * SIZE, cold + i * SIZE);
	}
	assert_true(clock() - began < 4 * CLOCKS_PER_SEC);
	cold_free(&c);
	symbols_free(&s);
}
