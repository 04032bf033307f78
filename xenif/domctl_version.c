/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/domctl_version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct domctl_version domctl_versions[] = {
	{0x18, "4.22", false},
	{0x17, "4.19 to 4.21", false},
	{0x16, "4.18", false},
	{0x15, "4.17", true},
	{0x14, "4.16", true},
	{0x13, "4.15", true},
	{0x12, "4.13 and 4.14", true},
	{0x11, "4.12", true},
	{0x10, "4.11", true},
	{0xf, "4.10.1 and later 4.10", true},
	{0xe, "4.10.0", true},
	{0xd, "4.9", true},
	{0xc, "4.8", true},
};
const size_t domctl_version_count = sizeof(domctl_versions) / sizeof(*domctl_versions);

int domctl_version_find(domctl_try *try, void *ctx, const struct domctl_version **found)
{
	for (size_t i = 0; i < domctl_version_count; i++) {
		int rc = try(ctx, domctl_versions[i].interface);

		if (rc == -EACCES)
			continue;
		*found = &domctl_versions[i];
		return rc;
	}
	return -EACCES;
}

void domctl_version_explain(const char *version, int rc, char *why, size_t size)
{
	const struct domctl_version *newest = &domctl_versions[0],
				    *oldest = &domctl_versions[domctl_version_count - 1];

	if (rc == -EACCES)
		snprintf(why, size,
		         "%s has a domctl interface that this program does not know (it knows 0x%x to 0x%x, "
		         "Xen %s to %s): a newer uniprof is needed",
		         version, oldest->interface, newest->interface, oldest->releases, newest->releases);
	else if (rc == -EPERM)
		snprintf(why, size, "%s does not let this domain control others: run it in dom0", version);
	else
		snprintf(why, size, "%s refuses to describe its domains: %s", version, strerror(-rc));
}
