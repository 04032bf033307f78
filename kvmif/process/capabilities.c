/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/process/capabilities.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel takes either of the two. */
static const struct {
	uint8_t bit, instead;
	const char *name;
} known[] = {
	{CAP_SYS_PTRACE, CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
	{CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, "CAP_DAC_READ_SEARCH"},
	{CAP_BPF, CAP_SYS_ADMIN, "CAP_BPF"},
	{CAP_PERFMON, CAP_SYS_ADMIN, "CAP_PERFMON"},
	{CAP_SYS_ADMIN, CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
};

static uint64_t effective_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, caps) != 0)
		return 0;
	return caps[0].effective | (uint64_t)caps[1].effective << 32;
}

bool capabilities_missing(uint64_t needed, char *text, size_t size)
{
	const uint64_t have = effective_capabilities();
	size_t used = 0, n = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!(needed >> known[i].bit & 1) || have >> known[i].bit & 1 || have >> known[i].instead & 1)
			continue;
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", n ? " and " : "", known[i].name);
		n++;
	}
	if (n && used < size)
		snprintf(text + used, size - used, n == 1 ? " is missing" : " are missing");
	return n > 0;
}

/* The host's maps all identifiers to themselves. */
bool capabilities_are_of_a_namespace(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inside = 0, outside = 0, n = 0;
	bool is_hosts = f && fscanf(f, "%u %u %u", &inside, &outside, &n) == 3 && inside == 0 && outside == 0 &&
	                n == UINT32_MAX;

	if (f)
		fclose(f);
	return f && !is_hosts;
}
