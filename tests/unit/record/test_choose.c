/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said when no domain has the given name, or none any more. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "record/cli/choose.h"

static void check_why(struct sim_domain *domains, size_t n, const char *expected)
{
	static const struct options options;
	char *operands[] = {"web1"}, why[256];
	struct target *target = NULL;
	struct hypervisor *x = sim_world(domains, n);

	assert_int_equal(choose_targets(&hypervisor_backend, x, operands, 1, &options, &target, why, sizeof(why)),
	                 EXIT_DOMAIN);
	assert_string_equal(why, expected);
	hypervisor_backend.host.close(x);
}

TEST(others_are_named)
{
	struct sim_domain domains[] = {{.info = {.domid = 0}, .name = "Domain-0"},
	                               {.info = {.domid = 4}, .name = "db1"}};

	check_why(domains, 2, "web1: no such domain; there are: db1 (4)");
}

/* On KVM no domain is the one that the recorder runs in. */
TEST(there_are_none)
{
	struct sim_domain domains[] = {{.info = {.domid = 0}, .name = "Domain-0"}};

	check_why(domains, 1, "web1: no such domain; this host has no guests");
}

static int next_one(struct guest *const *guests, size_t n, struct guest_info *info)
{
	(void)guests, (void)n;
	*info = (struct guest_info){.domid = 9, .vcpus = 1};
	return -ESRCH;
}

/* Xen up to 4.17 tells of the next domain then, which nobody named. */
TEST(it_ends_meanwhile)
{
	static const struct options options;
	struct sim_domain domains[] = {{.info = {.domid = 4, .vcpus = 1}, .name = "web1"},
	                               {.info = {.domid = 9, .vcpus = 1}, .name = "db1"}};
	struct hypervisor_ops ops = hypervisor_backend;
	char *operands[] = {"web1"}, why[256];
	struct target *target = NULL;
	struct hypervisor *x;

	ops.guest.info = next_one;
	sim_world(domains, 2);
	x = ops.host.open(why, sizeof(why));
	assert_non_null(x);
	assert_int_equal(choose_targets(&ops, x, operands, 1, &options, &target, why, sizeof(why)), EXIT_DOMAIN);
	assert_null(target);
	assert_string_equal(why, "web1: it has just ended");
	ops.host.close(x);
}

/* A domain that --start has created: it is let run with the first sample, if its creator left it paused. */
TEST(started)
{
	static const struct options options;
	struct sim_domain domains[] = {{.info = {.domid = 4, .vcpus = 1}, .name = "born"}};
	char why[256];
	struct hypervisor *x;

	sim_world(domains, 1);
	x = hypervisor_backend.host.open(why, sizeof(why));
	assert_non_null(x);
	for (int paused = 0; paused < 2; paused++) {
		const struct guest_info info = {.domid = 4, .vcpus = 1, .paused = paused};
		struct target *target = NULL;

		assert_int_equal(choose_started(&hypervisor_backend, x, &info, &options, &target, why, sizeof(why)),
		                 0);
		assert_int_equal(target->held, paused);
		assert_false(target->info.paused);
		target_close(target);
	}
	hypervisor_backend.host.close(x);
}
