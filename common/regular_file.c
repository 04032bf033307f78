/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int regular_file_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

	if (fd < 0)
		return -errno;
	rc = fstat(fd, st) != 0 ? -errno : S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? -EISDIR : -ESPIPE;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}
