/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses that recorder and watchdog leave behind when they are killed together, and their undoing. */
#include "tests/unit/record/watched.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/watchdog/watchdog.h"

#define TMPFS 0x01021994

static char path[64];
static char why[256];

static void new_file(struct fixture *f)
{
	snprintf(path, sizeof(path), "/dev/shm/uniprof-test-%d", (int)getpid());
	unlink(path);
	setup(f);
}

static void remove_file(struct fixture *f)
{
	unlink(path);
	teardown(f);
}

#define FILE_TEST(name) TEST_WITH(name, struct fixture, f, new_file, remove_file)

static void need_tmpfs(void)
{
	struct statfs fs;

	if (statfs("/dev/shm", &fs) != 0 || fs.f_type != TMPFS)
		skip();
}

enum moment { BEFORE, INSIDE, TAKEN, AFTER };

/* Kills a recorder and its watchdog, which see nothing of it, at that moment. @seen: while they live. */
static void killed_at(struct fixture *f, enum moment moment, void (*seen)(void))
{
	int status, ready[2];
	pid_t pids[2]; /* the recorder's, the watchdog's */

	assert_int_equal(pipe(ready), 0);
	pids[0] = fork();
	assert_true(pids[0] >= 0);
	if (pids[0] == 0) {
		const struct watchdog_limits limits = {.max_pause_ns = 3600 * S,
		                                       .file = pause_file_new(path, ops, 1, why, sizeof(why))};
		struct watchdog *g = limits.file ? watchdog_start(ops, &f->w->domain.info, 1, &limits) : NULL;
		struct watch *w = g ? watchdog_watch(g, 0) : NULL;
		char children[64];
		int fd;

		if (!w)
			_exit(1);
		snprintf(children, sizeof(children), "/proc/self/task/%d/children", (int)getpid());
		fd = open(children, O_RDONLY);
		children[read(fd, children, sizeof(children) - 1)] = '\0';
		pids[1] = atoi(children);
		ops->pause.mark_at(f->recorder, w->mark, NULL);
		if (moment != BEFORE)
			begin(f, w);
		if (moment == TAKEN)
			w->state = (w->state & ~7ull) | 3; /* enum phase of watch.c */
		if (moment == AFTER)
			end(f, w, watch_claim(w));
		if (write(ready[1], &pids[1], sizeof(pids[1])) != (ssize_t)sizeof(pids[1]))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &pids[1], sizeof(pids[1])), sizeof(pids[1]));
	if (seen)
		seen();
	kill(pids[0], SIGSTOP);
	kill(pids[1], SIGKILL);
	kill(pids[0], SIGKILL);
	assert_int_equal(waitpid(pids[0], &status, 0), pids[0]);
	close(ready[0]);
	close(ready[1]);
}

static enum pause_left undo(struct fixture *f)
{
	char text[64];
	struct hypervisor *x = ops->host.open(text, sizeof(text));
	struct pause_file *file = pause_file_open(path, why, sizeof(why));
	enum pause_left left;
	uint32_t domid;

	(void)f;
	assert_non_null(file);
	assert_string_equal(pause_file_backend(file), ops->name);
	assert_int_equal(pause_file_domains(file), 1);
	left = pause_file_undo(file, 0, ops, x, &domid);
	assert_int_equal(domid, 7);
	pause_file_close(file, false);
	ops->host.close(x);
	return left;
}

static void in_use(void)
{
	assert_null(pause_file_open(path, why, sizeof(why)));
	assert_non_null(strstr(why, "a recorder that uses it is still there"));
	assert_null(pause_file_new(path, ops, 1, why, sizeof(why)));
}

FILE_TEST(a_pause_is_undone_once)
{
	need_tmpfs();
	killed_at(f, INSIDE, in_use);
	f->w->domain.foreign_pauses = 1;
	assert_int_equal(f->w->domain.our_pauses, 1);
	f->w->domain.info.paused = true;
	assert_int_equal(undo(f), PAUSE_RESUMED);
	assert_int_equal(f->w->domain.our_pauses, 0);
	assert_int_equal(undo(f), PAUSE_NONE);
	assert_int_equal(f->w->domain.foreign_pauses, 1);
}

/* Somebody else's pause, at other moments, stays. */
FILE_TEST(what_is_not_ours_stays)
{
	need_tmpfs();
	for (enum moment m = BEFORE; m <= AFTER; m += AFTER - BEFORE) {
		killed_at(f, m, NULL);
		f->w->domain.foreign_pauses = 1;
		assert_int_equal(undo(f), PAUSE_NONE);
		assert_int_equal(f->w->domain.foreign_pauses, 1);
		f->w->domain.foreign_pauses = 0;
	}
}

FILE_TEST(another_domain_with_its_number_stays)
{
	need_tmpfs();
	killed_at(f, INSIDE, NULL);
	f->w->domain.info.uuid[0] ^= 1;
	assert_int_equal(undo(f), PAUSE_NONE);
	assert_int_equal(f->w->domain.our_pauses, 1);
	f->w->domain.info.uuid[0] ^= 1;
	assert_int_equal(undo(f), PAUSE_RESUMED);
}

/* The watchdog was killed while it undid the pause: nobody knows whether it had. */
FILE_TEST(a_pause_being_undone_is_told)
{
	need_tmpfs();
	killed_at(f, TAKEN, NULL);
	assert_int_equal(undo(f), PAUSE_UNSURE);
	assert_int_equal(f->w->domain.our_pauses, 1);
	f->w->domain.our_pauses = 0;
}

static void write_at(off_t at, const char *text)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, text, strlen(text), at), (ssize_t)strlen(text));
	close(fd);
}

static void refused(const char *reason)
{
	assert_null(pause_file_open(path, why, sizeof(why)));
	if (!strstr(why, reason))
		fail_msg("%s, not: %s", why, reason);
}

FILE_TEST(files_that_are_none)
{
	need_tmpfs();
	refused("No such file");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	refused("no recorder has written this");
	assert_int_equal(truncate(path, 1 << 20), 0);
	refused("no recorder has written this");
	pause_file_close(pause_file_new(path, ops, 3, why, sizeof(why)), false);
	assert_int_equal(truncate(path, 4096), 0);
	refused("no recorder has written this");
	pause_file_close(pause_file_new(path, ops, 3, why, sizeof(why)), false);
	write_at(20, "another boot");
	refused("no recorder has written this");
	pause_file_close(pause_file_new(path, ops, 3, why, sizeof(why)), false);
	chmod(path, 0622);
	refused("nobody else can write to");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused("nobody else can write to");
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	refused("Too many levels of symbolic links");
	assert_null(pause_file_new("/proc/self/comm", ops, 1, why, sizeof(why)));
}

static void not_replaced(const char *reason)
{
	assert_null(pause_file_new(path, ops, 1, why, sizeof(why)));
	if (!strstr(why, reason))
		fail_msg("%s, not: %s", why, reason);
}

/* The next recorder must not take the place of what says that a domain is paused. */
FILE_TEST(what_is_left_is_not_replaced)
{
	need_tmpfs();
	killed_at(f, INSIDE, NULL);
	not_replaced("use --resume-paused first");
	assert_int_equal(undo(f), PAUSE_RESUMED);
	pause_file_close(pause_file_new(path, ops, 1, why, sizeof(why)), false);
	write_at(0, "something else, of somebody");
	not_replaced("is not a pause file");
}

/* The one that it has waited for removes the file: it is to have another one of that name. */
FILE_TEST(the_next_recorder_has_a_file_of_its_own)
{
	struct pause_file *file;
	struct stat named, opened;
	int ready[2], status;
	char byte = 0;
	pid_t pid;

	need_tmpfs();
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		file = pause_file_new(path, ops, 1, why, sizeof(why));
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		usleep(300000);
		pause_file_close(file, true);
		_exit(!file);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	while (!(file = pause_file_new(path, ops, 1, why, sizeof(why))))
		assert_non_null(strstr(why, "still there"));
	assert_int_equal(stat(path, &named), 0);
	assert_int_equal(fstat(pause_file_fd(file), &opened), 0);
	assert_int_equal(named.st_ino, opened.st_ino);
	pause_file_close(file, true);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
}
