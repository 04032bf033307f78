/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard descriptors that are closed, and a standard output that has no room; each in a process of its own. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/say.h"

#define CHECK(what) \
	do { \
		if (!(what)) \
			_exit(__LINE__ % 200 + 1); \
	} while (0)

/* 0, or what tells the line whose check failed. */
static int in_child(void (*test)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void close_all(void)
{
	char byte;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	CHECK(standard_streams_open() == 0);
	CHECK(read(STDIN_FILENO, &byte, 1) == 0);
	CHECK(write(STDOUT_FILENO, "x", 1) == -1 && errno == EBADF);
	CHECK(write(STDERR_FILENO, "x", 1) == 1);
	CHECK(open("/dev/null", O_RDONLY) > STDERR_FILENO);
}

static void close_error_only(void)
{
	struct stat before, after;

	CHECK(fstat(STDOUT_FILENO, &before) == 0);
	close(STDERR_FILENO);
	CHECK(standard_streams_open() == 0);
	CHECK(write(STDERR_FILENO, "x", 1) == 1);
	CHECK(fstat(STDOUT_FILENO, &after) == 0 && before.st_ino == after.st_ino && before.st_dev == after.st_dev);
}

static void close_none(void)
{
	int next = open("/dev/null", O_RDONLY);

	close(next);
	CHECK(standard_streams_open() == 0);
	CHECK(open("/dev/null", O_RDONLY) == next);
}

static void full(void)
{
	int fd = open("/dev/full", O_WRONLY);

	CHECK(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	fputs("text", stdout);
	CHECK(standard_output_flush() == -ENOSPC);
}

/* The write that failed was an earlier one: what is left may be nothing. */
static void full_before(void)
{
	int fd = open("/dev/full", O_WRONLY);

	CHECK(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	setvbuf(stdout, NULL, _IONBF, 0);
	fputs("text", stdout);
	CHECK(standard_output_flush() < 0);
}

static void room(void)
{
	int fd = open("/dev/null", O_WRONLY);

	CHECK(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	fputs("text", stdout);
	CHECK(standard_output_flush() == 0);
}

TEST(descriptors)
{
	assert_int_equal(in_child(close_all), 0);
	assert_int_equal(in_child(close_error_only), 0);
	assert_int_equal(in_child(close_none), 0);
}

TEST(output)
{
	assert_int_equal(in_child(full), 0);
	assert_int_equal(in_child(full_before), 0);
	assert_int_equal(in_child(room), 0);
}
