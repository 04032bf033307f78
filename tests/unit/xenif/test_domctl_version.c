/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of domctl versions against Xen's releases. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "xenif/domctl_version.h"

/* XEN_DOMCTL_INTERFACE_VERSION in xen/include/public/domctl.h of each release's tag. */
static const struct {
	const char *release;
	uint32_t interface;
} releases[] = {
	{"4.8.0", 0xc},   {"4.9.0", 0xd},   {"4.10.0", 0xe},  {"4.10.1", 0xf},  {"4.11.0", 0x10}, {"4.12.0", 0x11},
	{"4.13.0", 0x12}, {"4.14.0", 0x12}, {"4.15.0", 0x13}, {"4.16.0", 0x14}, {"4.17.0", 0x15}, {"4.18.0", 0x16},
	{"4.19.0", 0x17}, {"4.20.0", 0x17}, {"4.21.0", 0x17}, {"4.22.0", 0x18},
};

struct fake {
	uint32_t interface;
	int answer; /* to a call of the right version */
};

static int try(void *ctx, uint32_t interface)
{
	const struct fake *f = ctx;

	return interface == f->interface ? f->answer : -EACCES;
}

TEST(every_release_is_known)
{
	for (size_t i = 0; i < COUNT(releases); i++) {
		struct fake f = {releases[i].interface, 0};
		const struct domctl_version *found;

		if (domctl_version_find(try, &f, &found) != 0)
			fail_msg("Xen %s, domctl 0x%x: refused", releases[i].release, releases[i].interface);
		assert_int_equal(found->interface, releases[i].interface);
		assert_int_equal(found->finds_next, releases[i].interface < 0x16);
	}
}

TEST(each_version_stands_once_and_newest_first)
{
	for (size_t i = 1; i < domctl_version_count; i++)
		assert_true(domctl_versions[i].interface == domctl_versions[i - 1].interface - 1);
}

TEST(another_error_ends_the_search)
{
	struct fake f = {0x15, -EPERM};
	const struct domctl_version *found;

	assert_int_equal(domctl_version_find(try, &f, &found), -EPERM);
	assert_int_equal(found->interface, 0x15);
	f.interface = 0x99;
	assert_int_equal(domctl_version_find(try, &f, &found), -EACCES);
}
