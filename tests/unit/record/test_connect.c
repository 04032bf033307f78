/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of two hypervisors has the guests that operands name. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/cli/connect.h"

static int has(uint32_t domid, uint32_t own, struct guest_info *info)
{
	*info = (struct guest_info){.domid = domid};
	return domid == own || domid == 3 ? 0 : -ESRCH;
}

static int find_1(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	(void)x;
	return has(domid, 1, info);
}

static int find_2(struct hypervisor *x, uint32_t domid, struct guest_info *info)
{
	(void)x;
	return has(domid, 2, info);
}

/* Both have guest 3. */
static const struct hypervisor_ops first = {.prefix = "first", .host.find = find_1};
static const struct hypervisor_ops second = {.prefix = "second", .host.find = find_2};
static const struct connection all[] = {{&first, NULL}, {&second, NULL}};

/* @chosen: NULL: none, for the reason @why. */
static void check(const char *operand, const char *another, const struct connection *chosen, const char *why)
{
	char texts[2][16], *operands[] = {texts[0], texts[1]}, said[256] = "";

	snprintf(texts[0], sizeof(texts[0]), "%s", operand);
	snprintf(texts[1], sizeof(texts[1]), "%s", another ? another : "");
	assert_ptr_equal(connect_choose(all, COUNT(all), operands, another ? 2 : 1, said, sizeof(said)), chosen);
	assert_string_equal(said, why);
	if (chosen && strchr(operand, ':'))
		assert_string_equal(operands[0], strchr(operand, ':') + 1);
}

TEST(one_has_it)
{
	check("1", NULL, &all[0], "");
	check("2", NULL, &all[1], "");
	check("2", "2", &all[1], "");
	check("1", "2", NULL, "2: all guests of a recording must be on one hypervisor, not on first and second");
}

TEST(both_have_it)
{
	check("3", NULL, NULL, "3: more than one hypervisor has such a guest: say first:3 or second:3");
	check("first:3", NULL, &all[0], "");
	check("second:3", NULL, &all[1], "");
	check("second:3", "2", &all[1], "");
}

/* Who looks for it says so. */
TEST(none_has_it)
{
	char why[256];

	check("4", NULL, &all[0], "");
	check("second:4", NULL, &all[1], "");
	assert_ptr_equal(connect_choose(all, COUNT(all), NULL, 0, why, sizeof(why)), &all[0]);
}
