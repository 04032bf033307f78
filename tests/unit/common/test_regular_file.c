/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(test_file)
{
	char path[] = "/tmp/regular_file.XXXXXX", byte = 'x';
	int made = mkstemp(path), fd;

	assert_true(made >= 0);
	assert_int_equal(write(made, &byte, 1), 1);
	close(made);
	fd = regular_file_open(path);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_false(regular_file_refused(path));
	unlink(path);
	assert_int_equal(regular_file_open(path), -ENOENT);
	assert_false(regular_file_refused(path));
}

/* Without a writer, open() of a FIFO would wait. */
TEST(test_others)
{
	char dir[] = "/tmp/regular_file.XXXXXX", fifo[sizeof(dir) + 5];

	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(regular_file_open(fifo), -ESPIPE);
	assert_true(regular_file_refused(fifo));
	assert_int_equal(regular_file_open(dir), -EISDIR);
	assert_int_equal(regular_file_open("/dev/zero"), -ESPIPE);
	unlink(fifo);
	rmdir(dir);
}
