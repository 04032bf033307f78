/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For the calling thread only. The C library has no functions for it: see capset(2). */
struct capabilities {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static int get(struct capabilities *c)
{
	*c = (struct capabilities){.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
	return syscall(SYS_capget, &c->header, c->words) == 0 ? 0 : -errno;
}

static int set(struct capabilities *c)
{
	return syscall(SYS_capset, &c->header, c->words) == 0 ? 0 : -errno;
}

int privileges_drop(uint64_t keep)
{
	struct capabilities c;
	int rc = get(&c);

	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		c.words[i].permitted &= (uint32_t)(keep >> 32 * i);
		c.words[i].effective = c.words[i].permitted;
		c.words[i].inheritable = 0;
	}
	if (rc == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		rc = -errno;
	return rc == 0 ? set(&c) : rc;
}

void privileges_pass_on(uint64_t caps)
{
	struct capabilities c;

	if (get(&c) != 0)
		return;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		c.words[i].inheritable = c.words[i].permitted & (uint32_t)(caps >> 32 * i);
	if (set(&c) != 0)
		return;
	for (unsigned i = 0; i < 64; i++)
		if (caps >> i & 1)
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, (unsigned long)i, 0ul, 0ul);
}
