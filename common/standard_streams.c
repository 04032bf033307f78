/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int standard_streams_open(void)
{
	static const int flags[] = {
		[STDIN_FILENO] = O_RDONLY,
		[STDOUT_FILENO] = O_RDONLY,
		[STDERR_FILENO] = O_WRONLY,
	};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int opened;

		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest number that is free, so this one. */
		opened = open("/dev/null", flags[fd]);
		if (opened < 0)
			return -errno;
	}
	return 0;
}

int standard_output_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return errno ? -errno : -EIO;
}
