/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/say.h"
#include "record/process/thread.h"

/* With all groups of the user's. 0 or a negative errno. */
static int become(uid_t user, gid_t group)
{
	const struct passwd *known = getpwuid(user);

	if ((known ? initgroups(known->pw_name, group) : setgroups(1, &group)) != 0 ||
	    setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
		return -errno;
	return 0;
}

/* 0 or a negative errno. */
static int give_up_privileges(void)
{
	uid_t user;
	gid_t group;
	int rc = thread_sudo_user(&user, &group) ? become(user, group) : 0;

	return rc == 0 ? thread_drop_privileges(0) : rc;
}

/* False: nothing was recorded. */
static bool await_trace(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	return p.revents & POLLIN;
}

static void execute(char *const argv[])
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash && snprintf(slash + 1, sizeof(path) - (size_t)(slash + 1 - path), "%s", argv[0]) > 0)
		execv(path, argv);
	execvp(argv[0], argv);
}

static _Noreturn void run(char *const argv[], int from)
{
	char rest[4096];
	int rc = give_up_privileges();

	if (rc != 0) {
		say("cannot give up privileges for %s: %s", argv[0], strerror(-rc));
		_exit(1);
	}
	if (!await_trace(from))
		_exit(0);
	if (dup2(from, STDIN_FILENO) >= 0)
		execute(argv);
	say("cannot run %s: %s; record with -o FILE, and read that where it is installed", argv[0], strerror(errno));
	while (read(from, rest, sizeof(rest)) > 0)
		; /* for the recorder, its reader has not gone away */
	_exit(1);
}

int viewer_start(struct viewer *v, char *const argv[])
{
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	v->pid = fork();
	if (v->pid == 0) {
		close(ends[1]);
		run(argv, ends[0]);
	}
	v->out = v->pid > 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
	rc = v->out >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 ? 0 : -errno;
	close(ends[0]);
	close(ends[1]);
	return rc;
}

int viewer_end(struct viewer *v)
{
	int status = 0;

	dup2(v->out, STDOUT_FILENO);
	close(v->out);
	while (waitpid(v->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
