/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Those of @mask that the calling thread has. */
static uint32_t held(uint32_t mask)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, now) == 0 ? now[0].permitted & mask : 0;
}

int privileges_drop(bool files)
{
	/* For the calling thread only. The C library has no function for it: see capset(2). */
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const uint32_t bit = files ? held(CAP_TO_MASK(CAP_DAC_OVERRIDE)) : 0;
	const struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {{.effective = bit, .permitted = bit}};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	return syscall(SYS_capset, &header, kept) == 0 ? 0 : -errno;
}
