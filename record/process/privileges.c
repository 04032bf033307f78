/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int privileges_drop(uint64_t keep)
{
	/* For the calling thread only. The C library has no function for it: see capset(2). */
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, caps) != 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		caps[i].permitted &= (uint32_t)(keep >> 32 * i);
		caps[i].effective = caps[i].permitted;
		caps[i].inheritable = 0;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	return syscall(SYS_capset, &header, caps) == 0 ? 0 : -errno;
}
