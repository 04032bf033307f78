/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/process/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/privileges.h"
#include "common/say.h"
#include "record/process/thread.h"

#define NOBODY 65534 /* where no account has the name */

int viewer_account(struct viewer *v, const char *name)
{
	const struct passwd *known;

	*v = (struct viewer){.user = geteuid(), .group = getegid()};
	if (v->user != 0)
		return name ? -EPERM : 0;
	if (!name && thread_sudo_user(&v->user, &v->group) && v->user != 0)
		return 0;
	known = getpwnam(name ? name : "nobody");
	if (name && !known)
		return -ENOENT;
	v->user = known ? known->pw_uid : NOBODY;
	v->group = known ? known->pw_gid : NOBODY;
	/* Containers often lack the right to read, but not that to read and write. */
	v->caps = 1ull << (prctl(PR_CAPBSET_READ, CAP_DAC_READ_SEARCH) == 1 ? CAP_DAC_READ_SEARCH : CAP_DAC_OVERRIDE);
	return 0;
}

/* With all groups of the user's. 0 or a negative errno. */
static int become(const struct viewer *v)
{
	const struct passwd *known = getpwuid(v->user);

	if (v->user == geteuid())
		return 0;
	if ((known ? initgroups(known->pw_name, v->group) : setgroups(1, &v->group)) != 0 ||
	    setresgid(v->group, v->group, v->group) != 0 || prctl(PR_SET_KEEPCAPS, 1ul) != 0 ||
	    setresuid(v->user, v->user, v->user) != 0)
		return -errno;
	return 0;
}

/* 0 or a negative errno. */
static int give_up_privileges(const struct viewer *v)
{
	int rc = become(v);

	if (rc == 0)
		rc = privileges_drop(v->caps);
	if (rc == 0)
		privileges_pass_on(v->caps);
	return rc;
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

/* @keeper: the process that it ends with; 0: none. */
static _Noreturn void run(const struct viewer *v, char *const argv[], int from, pid_t keeper)
{
	char rest[4096];
	int rc = give_up_privileges(v);

	/* Privileges that change undo it. */
	if (keeper && (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != keeper))
		_exit(1);

	if (rc != 0) {
		say("cannot run %s as another user (%u): %s; --viewer-user names one", argv[0], (unsigned)v->user,
		    strerror(-rc));
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

static int await(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static pid_t kept; /* a signal's handler has no context to find it in */

static void pass_on_signal(int number)
{
	(void)number;
	kill(kept, SIGTERM);
}

/* The viewer ends with who keeps it, and that with the recorder. */
static pid_t start_kept(const struct viewer *v, char *const argv[], int from)
{
	const pid_t keeper = getpid(), viewer = fork();

	if (viewer == 0)
		run(v, argv, from, keeper);
	kept = viewer;
	return viewer;
}

/*
 * Stays beside a viewer that has the terminal: gives that back if the viewer is killed, and ends the recording with it.
 * Ctrl-C is for the others. @recorder: who has started this.
 */
static _Noreturn void keep_terminal(const struct viewer *v, char *const argv[], int from, pid_t recorder)
{
	static const char plain[] = "\033[?1049l\033[?25h\033[?1l\033>\033[m\r\n";
	struct termios before;
	bool known = tcgetattr(STDOUT_FILENO, &before) == 0;
	const pid_t viewer = start_kept(v, argv, from);
	int status = 1;

	close(from);
	privileges_drop(1ull << CAP_KILL); /* best effort */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	if (viewer > 0) {
		signal(SIGTERM, pass_on_signal);
		signal(SIGHUP, pass_on_signal);
		if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != recorder)
			kill(viewer, SIGTERM);
		status = await(viewer);
	}
	if (WIFSIGNALED(status) && known)
		tcsetattr(STDOUT_FILENO, TCSAFLUSH, &before);
	/* After these it has given the terminal back itself, and the recorder ends by its own, or as nobody reads. */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP))
		_exit(0);
	if (WIFSIGNALED(status) && known && write(STDOUT_FILENO, plain, sizeof(plain) - 1) > 0)
		say("%s: ended by signal %d (%s)", argv[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (getppid() == recorder)
		kill(recorder, SIGINT);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* What the recorder says meanwhile would spoil the screen. */
static int hold_messages(struct viewer *v)
{
	v->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	v->messages = memfd_create("messages", MFD_CLOEXEC);
	return v->err >= 0 && v->messages >= 0 && dup2(v->messages, STDERR_FILENO) >= 0 ? 0 : -errno;
}

static void pass_on_messages(struct viewer *v)
{
	char text[4096];
	ssize_t n;

	fflush(stderr);
	dup2(v->err, STDERR_FILENO);
	lseek(v->messages, 0, SEEK_SET);
	while ((n = read(v->messages, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stderr);
	close(v->messages);
	close(v->err);
}

int viewer_start(struct viewer *v, char *const argv[], bool screen)
{
	const pid_t recorder = getpid();
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	v->screen = screen;
	v->pid = fork();
	if (v->pid == 0) {
		close(ends[1]);
		if (screen)
			keep_terminal(v, argv, ends[0], recorder);
		run(v, argv, ends[0], 0);
	}
	v->out = v->pid > 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
	rc = v->out >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 ? 0 : -errno;
	close(ends[0]);
	close(ends[1]);
	return rc == 0 && screen ? hold_messages(v) : rc;
}

int viewer_end(struct viewer *v, bool tell)
{
	int status;

	dup2(v->out, STDOUT_FILENO);
	close(v->out);
	status = await(v->pid);
	if (v->screen && (tell || status != 0))
		pass_on_messages(v);
	return status;
}
