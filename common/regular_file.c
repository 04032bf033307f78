/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(const struct stat *st)
{
	return S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? -EISDIR : -ESPIPE;
}

/*
 * stat() comes first because open() of a FIFO lets its writer go on, and open() of a device may do anything. The file
 * may be replaced in between: so open() must not wait, and fstat() decides.
 */
int regular_file_open(const char *path)
{
	struct stat st;
	int rc = stat(path, &st) == 0 ? check_kind(&st) : -errno;
	int fd = rc == 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

	if (rc == 0 && fd < 0)
		return -errno;
	if (rc == 0)
		rc = fstat(fd, &st) == 0 ? check_kind(&st) : -errno;
	if (rc == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

bool regular_file_refused(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && check_kind(&st) != 0;
}

FILE *unnamed_file(void)
{
	int fd = memfd_create("uniprof", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!f && fd >= 0)
		close(fd);
	return f;
}
