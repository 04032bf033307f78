/* SPDX-License-Identifier: BSD-2-Clause */
/* A signal at the worst moment leaves no file behind. */
#include "tests/unit/unit.h"

#include "report/output/outfile.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The C library's, but a signal comes as soon as the file is there; it names it "unique". */
int mkstemp(char *path)
{
	int fd;

	memcpy(strstr(path, "XXXXXX"), "unique", 6);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		raise(SIGTERM);
	return fd;
}

static void on_end(int number)
{
	outfile_abandon();
	_exit(number);
}

TEST(a_signal_when_the_file_is_made)
{
	char dir[] = "/tmp/test_outfile.XXXXXX";
	char path[64];
	struct outfile out;
	int status;
	pid_t pid;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGTERM, on_end);
		outfile_open(&out, path, false);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SIGTERM);
	assert_int_equal(rmdir(dir), 0);
}
