/* SPDX-License-Identifier: BSD-2-Clause */
/* What a confined process can still do, and what it cannot, as the kernel answers it. */
#include "tests/unit/unit.h"

#include "report/cli/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char dir[32];
	int terminal; /* of a pty; negative: there is none here */
};

static void setup(struct fixture *f)
{
	int fd;

	strcpy(f->dir, "/tmp/test_confine.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(chdir(f->dir), 0);
	fd = open("old", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	f->terminal = posix_openpt(O_RDWR | O_NOCTTY);
}

static void teardown(struct fixture *f)
{
	if (f->terminal >= 0)
		close(f->terminal);
	unlink("old");
	unlink("new");
	assert_int_equal(chdir("/"), 0);
	rmdir(f->dir);
}

/* --- what is left ------------------------------------------------------------------------------------------------ */

static void *set(void *done)
{
	*(int *)done = 1;
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

static bool does_its_work(const struct fixture *f)
{
	struct winsize size;
	char text[5] = "";
	int fd = open("old", O_RDONLY | O_CLOEXEC), done = 0;
	pthread_t thread;

	if (fd < 0 || read(fd, text, 4) != 4 || strcmp(text, "text") != 0)
		return false;
	if (mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return false;
	if (pthread_create(&thread, NULL, set, &done) != 0 || pthread_join(thread, NULL) != 0 || !done)
		return false;
	signal(SIGWINCH, on_signal);
	return raise(SIGWINCH) == 0 && (f->terminal < 0 || ioctl(f->terminal, TIOCGWINSZ, &size) == 0);
}

/* --- what is not ------------------------------------------------------------------------------------------------- */

/* The first that goes on as if nothing had happened; NULL: none. */
static const char *what_is_possible(const struct fixture *f)
{
	char *const argv[] = {"false", NULL};
	pid_t pid;

	if (open("old", O_WRONLY) >= 0 || open("old", O_RDWR) >= 0 || open("old", O_RDONLY | O_TRUNC) >= 0)
		return "a file opened for writing";
	if (open("new", O_RDONLY | O_CREAT, 0600) >= 0 || mkdir("new", 0700) == 0 || mkfifo("new", 0600) == 0)
		return "a new file";
	if (unlink("old") == 0 || rename("old", "new") == 0 || link("old", "new") == 0 || symlink("old", "new") == 0)
		return "a name changed";
	if (chmod("old", 0777) == 0 || chown("old", 1, 1) == 0 || truncate("old", 0) == 0)
		return "a file changed";
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
		return "a socket";
	pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		return "a process";
	if (kill(getppid(), 0) == 0)
		return "a signal to another process";
	if (f->terminal >= 0 && (ioctl(f->terminal, TIOCSTI, "x") == 0 || errno != EPERM))
		return "a key typed into the terminal";
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return "memory to execute";
	execv("/bin/false", argv); /* which fails, too */
	return NULL;
}

/* The exit status of a confined process: 0 what it should be, 1 too little, 2 too much, which standard error says. */
static int confined(const struct fixture *f)
{
	pid_t pid = fork();
	const char *too_much;
	int status;

	if (pid == 0) {
		confine(false);
		if (!does_its_work(f))
			_exit(1);
		confine_opened();
		too_much = what_is_possible(f);
		if (too_much)
			fprintf(stderr, "confined, but: %s\n", too_much);
		_exit(too_much ? 2 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

FIXTURE_TEST(what_a_confined_process_can_do)
{
	if (prctl(PR_GET_SECCOMP) < 0)
		skip();
	assert_int_equal(confined(f), 0);
}
