/* SPDX-License-Identifier: BSD-2-Clause */
/* Domains that come back are found by a thread of its own, by uuid or by name. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/sim/sim.h"
#include "record/sampling/finder.h"

#define PATIENCE 600 /* looks, 50 ms apart */

static const struct domain_identity web = {{1, 2}, "web", 0}, nameless = {{3}, "", 0};
static struct sim_domain domains[3];

static struct hypervisor *make_world(void)
{
	memset(domains, 0, sizeof(domains));
	for (uint32_t i = 0; i < COUNT(domains); i++)
		domains[i].info = (struct guest_info){.domid = i, .vcpus = 1, .uuid = {100 + (uint8_t)i}};
	return sim_world(domains, COUNT(domains));
}

static int search(struct hypervisor *x, const struct domain_identity *identity, struct guest_info *info)
{
	return finder_search(&hypervisor_backend, x, identity, NULL, 0, info);
}

TEST(by_uuid_or_name)
{
	struct hypervisor *x = make_world();
	struct guest_info info;

	assert_int_equal(search(x, &web, &info), -ESRCH);
	domains[2].name = "web";
	assert_int_equal(search(x, &web, &info), 0);
	assert_int_equal(info.domid, 2);
	domains[1].info.uuid[0] = 1;
	domains[1].info.uuid[1] = 2;
	memset(domains[1].info.uuid + 2, 0, 14);
	assert_int_equal(search(x, &web, &info), 0);
	assert_int_equal(info.domid, 1);
	domains[1].name = "";
	assert_int_equal(search(x, &nameless, &info), -ESRCH);
	/* A uuid of zeros is none: Xen gives it to those domains that it starts by itself. */
	memset(domains[1].info.uuid, 0, sizeof(domains[1].info.uuid));
	assert_int_equal(search(x, &(struct domain_identity){{0}, "other", 0}, &info), -ESRCH);
}

/* Nor one that is being built, ends, or runs this program. */
TEST(only_one_that_runs)
{
	struct hypervisor *x = make_world();
	struct guest_info info;
	bool *const flags[] = {&domains[2].info.dying, &domains[2].info.shutdown, &domains[2].info.paused};

	domains[2].name = "web";
	for (size_t i = 0; i < COUNT(flags); i++) {
		*flags[i] = true;
		assert_int_equal(search(x, &web, &info), -ESRCH);
		*flags[i] = false;
	}
	domains[2].info.vcpus = 0;
	assert_int_equal(search(x, &web, &info), -ESRCH);
	domains[2].info.vcpus = 1;
	domains[2].name = NULL;
	domains[0].name = "web";
	assert_int_equal(search(x, &web, &info), -ESRCH);
}

static bool await_found(struct finder *f, size_t i, struct guest_info *info)
{
	for (int look = 0; look < PATIENCE; look++) {
		if (finder_found(f, i, info))
			return true;
		usleep(50000);
	}
	return false;
}

TEST(the_thread_finds_it)
{
	struct finder *f = finder_start(&hypervisor_backend, 2, -1);
	struct guest_info info;

	assert_non_null(f);
	make_world();
	domains[2].name = "web";
	assert_false(finder_found(f, 0, &info));
	finder_look_for(f, 0, &nameless);
	finder_look_for(f, 1, &web);
	assert_true(await_found(f, 1, &info));
	assert_int_equal(info.domid, 2);
	assert_false(finder_found(f, 1, &info)); /* told once */
	assert_false(finder_found(f, 0, &info));
	finder_look_for(f, 1, &web); /* it ended again */
	assert_true(await_found(f, 1, &info));
	domains[1].name = "web"; /* another one of that name, which is recorded already */
	finder_recorded(f, 0, 1);
	finder_look_for(f, 1, &web);
	assert_true(await_found(f, 1, &info));
	assert_int_equal(info.domid, 2);
	finder_stop(f);
}

/* --- a backend that knows which domains can be back --------------------------------------------------------------- */

#define SEARCH_NS 10000000u /* of CPU time that each takes */

static struct {
	char name[64];
	uint64_t since_ns;
	atomic_uint searches;
} asked;

static int list(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **found, size_t *n)
{
	uint64_t began_ns = clock_cpu();

	(void)x;
	snprintf(asked.name, sizeof(asked.name), "%s", returned->name);
	asked.since_ns = returned->seen_ns;
	while (clock_cpu() - began_ns < SEARCH_NS)
		;
	asked.searches++;
	*found = calloc(1, sizeof(**found));
	*n = 0;
	return *found ? 0 : -ENOMEM;
}

TEST(a_backend_is_told_what_is_looked_for)
{
	const struct domain_identity identity = {{1}, "web", 7000};
	struct hypervisor_ops ops = hypervisor_backend;
	struct hypervisor *x = make_world();
	struct guest_info info;

	ops.host.list = list;
	domains[2].name = "web";
	assert_int_equal(finder_search(&ops, x, &identity, NULL, 0, &info), -ESRCH);
	assert_string_equal(asked.name, "web");
	assert_int_equal(asked.since_ns, 7000);
}

/* However long a search takes, the thread uses a twentieth of a CPU. */
TEST(searches_are_seldom_where_they_cost_much)
{
	struct hypervisor_ops ops = hypervisor_backend;
	uint64_t began_ns = clock_now();
	struct finder *f;

	make_world();
	ops.host.list = list;
	asked.searches = 0;
	f = finder_start(&ops, 1, -1);
	assert_non_null(f);
	finder_look_for(f, 0, &web);
	while (asked.searches < 6)
		usleep(1000);
	assert_true(clock_now() - began_ns >= 5ull * 19 * SEARCH_NS);
	finder_stop(f);
}
