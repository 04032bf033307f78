/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/process/descriptor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_called(int fd, const char *name)
{
	char path[32], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link));
	return n > 0 && (size_t)n == strlen(name) && memcmp(link, name, (size_t)n) == 0;
}

int descriptor_take(int pidfd, int number, const char *name)
{
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);

	if (fd < 0)
		return -errno;
	if (is_called(fd, name))
		return fd;
	close(fd);
	return -EBADFD;
}
