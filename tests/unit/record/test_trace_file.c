/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of traces: how they get their name, and outputs that fail. */
#include "tests/unit/record/folder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/say.h"

static const char *replacement; /* of the pipe, once its reader is waited for; NULL: none */

/* Called between the first look for a reader and the second. */
static void wait_for_reader(const char *format, const char *path)
{
	(void)format;
	if (replacement)
		assert_int_equal(rename(replacement, path), 0);
	replacement = NULL;
}

#define say wait_for_reader
#include "record/output/trace_file.c"
#undef say

static char why[512];

static struct trace_file *open_file(const char *path, bool overwrite)
{
	why[0] = '\0';
	return trace_file_open(path, overwrite, why, sizeof(why));
}

/* Only the owner may read what can hold the guest's memory. */
static bool is_private(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & 07777) == 0600;
}

FOLDER_TEST(named_when_published)
{
	struct trace_file *f;

	umask(0);
	f = open_file("run.upf", false);
	assert_non_null(f);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(access("run.upf", F_OK), -1);
	assert_int_equal(entries_of("."), 1);
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), 0);
	assert_int_equal(trace_file_write(f, "body", 4), 0);
	assert_int_equal(trace_file_close(f), 0);
	assert_true(has_text("run.upf", "headbody"));
	assert_true(is_private("run.upf"));
	assert_int_equal(entries_of("."), 1);
}

FOLDER_TEST(nothing_is_left_of_an_unpublished_file)
{
	struct trace_file *f = open_file("run.upf", false);

	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(trace_file_close(f), 0);
	assert_int_equal(entries_of("."), 0);
}

FOLDER_TEST(an_existing_file_is_kept)
{
	write_text("run.upf", "precious");
	assert_null(open_file("run.upf", false));
	assert_string_equal(why, "run.upf exists: choose another name, or replace it with -f");
	assert_int_equal(trace_file_check("run.upf", false, why, sizeof(why)), -1);
	assert_true(has_text("run.upf", "precious"));
}

/* Somebody else creates the file between the opening and the first block. */
FOLDER_TEST(a_file_that_appears_is_kept)
{
	struct trace_file *f = open_file("run.upf", false);

	write_text("run.upf", "precious");
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), -1);
	assert_string_equal(why, "run.upf: File exists");
	assert_int_equal(trace_file_close(f), 0);
	assert_true(has_text("run.upf", "precious"));
	assert_int_equal(entries_of("."), 1);
}

FOLDER_TEST(replaced_if_asked)
{
	struct trace_file *f;

	write_text("run.upf", "old");
	assert_int_equal(trace_file_check("run.upf", true, why, sizeof(why)), 0);
	f = open_file("run.upf", true);
	assert_int_equal(trace_file_write(f, "new", 3), 0);
	assert_true(has_text("run.upf", "old"));
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), 0);
	assert_int_equal(trace_file_close(f), 0);
	assert_true(has_text("run.upf", "new"));
	assert_true(is_private("run.upf"));
	assert_int_equal(entries_of("."), 1);
}

FOLDER_TEST(folders)
{
	assert_null(open_file(".", false));
	assert_string_equal(why, ". is a directory: name a file in it");
	assert_null(open_file("none/run.upf", false));
	assert_string_equal(why, "cannot write in none/: No such file or directory");
	assert_int_equal(trace_file_check("none/run.upf", false, why, sizeof(why)), -1);
	assert_string_equal(why, "cannot write in none/: No such file or directory");
	assert_int_equal(trace_file_check("run.upf", false, why, sizeof(why)), 0);
}

FOLDER_TEST(a_folder_that_vanishes)
{
	struct trace_file *f;

	assert_int_equal(mkdir("folder", 0777), 0);
	f = open_file("folder/run.upf", false);
	assert_non_null(f);
	assert_int_equal(rename("folder", "moved"), 0);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), -1);
	assert_string_equal(why, "folder/run.upf: No such file or directory");
	assert_int_equal(trace_file_close(f), 0);
	assert_int_equal(entries_of("moved"), 0);
}

FOLDER_TEST(a_full_disk)
{
	struct trace_file *f = open_file("run.upf", false);
	int rc;

	limit_files(6);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	rc = trace_file_write(f, "body", 4);
	limit_files(RLIM_INFINITY);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(trace_file_close(f), 0);
	assert_int_equal(entries_of("."), 0);
	f = open_file("/dev/full", false);
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), 0);
	assert_int_equal(trace_file_write(f, "head", 4), -ENOSPC);
	assert_int_equal(trace_file_close(f), 0);
}

/* Standard output, which is closed. */
FOLDER_TEST(a_closed_descriptor)
{
	int kept = dup(STDOUT_FILENO), rc;
	struct trace_file *f;

	fflush(stdout);
	close(STDOUT_FILENO);
	f = open_file("-", false);
	rc = f ? trace_file_write(f, "head", 4) : 0;
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_non_null(f);
	assert_int_equal(rc, -EBADF);
	assert_int_equal(trace_file_close(f), 0);
}

/* --- pipes ------------------------------------------------------------------------------------------------------- */

FOLDER_TEST(a_reader_that_goes_away)
{
	struct trace_file *f;
	int fd;

	assert_int_equal(mkfifo("pipe", 0666), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	f = open_file("pipe", false);
	assert_non_null(f);
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), 0);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	close(fd);
	assert_int_equal(trace_file_write(f, "body", 4), -EPIPE);
	assert_int_equal(trace_file_close(f), 0);
}

FOLDER_TEST(nobody_reads)
{
	const struct timespec none = {0};
	sigset_t set;

	assert_int_equal(mkfifo("pipe", 0666), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	assert_null(open_file("pipe", false));
	assert_string_equal(why, "pipe: no program reads it");
	assert_int_equal(sigtimedwait(&set, NULL, &none), SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* For a socket there never is a reader. */
FOLDER_TEST(a_socket)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_null(open_file("socket", false));
	assert_string_equal(why, "socket: No such device or address");
	close(fd);
}

static struct trace_file *open_replaced(const char *by)
{
	struct trace_file *f;

	replacement = by;
	f = open_file("pipe", false);
	assert_null(replacement);
	return f;
}

FOLDER_TEST(a_pipe_becomes_another_file)
{
	int fd;

	write_text("victim", "precious");
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(symlink("victim", "link"), 0);
	assert_null(open_replaced("link"));
	assert_string_equal(why, "pipe: another file has taken its place");
	unlink("pipe");
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(link("victim", "hard"), 0);
	assert_null(open_replaced("hard"));
	assert_string_equal(why, "pipe: another file has taken its place");
	assert_true(has_text("victim", "precious"));
	unlink("pipe");
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(mkfifo("other", 0666), 0);
	fd = open("other", O_RDWR);
	assert_int_equal(symlink("other", "link"), 0);
	assert_null(open_replaced("link"));
	assert_string_equal(why, "pipe: another file has taken its place");
	close(fd);
}

/* Through a link that was one from the beginning, only what it led to is written to. */
FOLDER_TEST(a_link_that_leads_elsewhere)
{
	write_text("victim", "precious");
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(symlink("fifo", "pipe"), 0);
	assert_int_equal(symlink("victim", "link"), 0);
	assert_null(open_replaced("link"));
	assert_string_equal(why, "pipe: another file has taken its place");
	unlink("pipe");
	assert_int_equal(symlink("fifo", "pipe"), 0);
	assert_int_equal(symlink("/dev/null", "link"), 0);
	assert_null(open_replaced("link"));
	assert_true(has_text("victim", "precious"));
}

/* Made anew, a pipe is what the user named. */
FOLDER_TEST(a_pipe_made_anew)
{
	struct trace_file *f;
	int fd;

	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(mkfifo("anew", 0666), 0);
	fd = open("anew", O_RDWR);
	f = open_replaced("anew");
	assert_non_null(f);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(trace_file_close(f), 0);
	close(fd);
}

/* The process's first thread sleeps. */
static bool is_asleep(void)
{
	char path[64], text[512] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return strstr(text, ") S ") != NULL;
}

/* Standard output that somebody made non-blocking: it is full, and its writer waits, before it is read. */
static void *drain(void *ctx)
{
	static char data[1 << 16];
	size_t total = 0;
	int waiting = 0;
	ssize_t n;

	while (ioctl(*(int *)ctx, FIONREAD, &waiting) == 0 && (waiting == 0 || !is_asleep()))
		sched_yield();
	while ((n = read(*(int *)ctx, data, sizeof(data))) > 0)
		total += (size_t)n;
	return (void *)total;
}

FOLDER_TEST(a_pipe_without_blocking)
{
	static const char data[1 << 20];
	struct trace_file *f;
	int pair[2], kept = dup(STDOUT_FILENO), rc;
	pthread_t thread;
	void *total;

	assert_int_equal(pipe2(pair, O_NONBLOCK), 0);
	fcntl(pair[0], F_SETFL, 0);
	fflush(stdout);
	dup2(pair[1], STDOUT_FILENO);
	close(pair[1]);
	pthread_create(&thread, NULL, drain, &pair[0]);
	f = open_file("-", false);
	rc = f ? trace_file_write(f, data, sizeof(data)) : 0;
	dup2(kept, STDOUT_FILENO);
	close(kept);
	pthread_join(thread, &total);
	close(pair[0]);
	assert_non_null(f);
	assert_int_equal(rc, 0);
	assert_int_equal((size_t)total, sizeof(data));
	assert_int_equal(trace_file_close(f), 0);
}

static void is_named(const char *guest, bool overwrite, const char *name)
{
	char *got = trace_file_name(guest, overwrite);

	assert_string_equal(got, name);
	free(got);
}

FOLDER_TEST(names_are_free_and_in_this_folder)
{
	is_named("web1", false, "web1.upf");
	is_named("../etc/x", false, "_._etc_x.upf");
	is_named("-f", false, "_f.upf");
	is_named(".", false, "_.upf");
	assert_int_equal(symlink("nowhere", "web1.upf"), 0);
	is_named("web1", false, "web1.1.upf");
	is_named("web1", true, "web1.upf");
	assert_int_equal(unlink("web1.upf"), 0);
}
