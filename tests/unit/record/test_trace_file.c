/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of traces: how they get their name, and outputs that fail. */
#include "tests/unit/record/folder.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "record/output/trace_file.h"

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

static void named_when_published(void **state)
{
	struct trace_file *f;

	(void)state;
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

static void nothing_is_left_of_an_unpublished_file(void **state)
{
	struct trace_file *f = open_file("run.upf", false);

	(void)state;
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(trace_file_close(f), 0);
	assert_int_equal(entries_of("."), 0);
}

static void an_existing_file_is_kept(void **state)
{
	(void)state;
	write_text("run.upf", "precious");
	assert_null(open_file("run.upf", false));
	assert_string_equal(why, "run.upf exists: choose another name, or replace it with -f");
	assert_int_equal(trace_file_check("run.upf", false, why, sizeof(why)), -1);
	assert_true(has_text("run.upf", "precious"));
}

/* Somebody else creates the file between the opening and the first block. */
static void a_file_that_appears_is_kept(void **state)
{
	struct trace_file *f = open_file("run.upf", false);

	(void)state;
	write_text("run.upf", "precious");
	assert_int_equal(trace_file_publish(f, why, sizeof(why)), -1);
	assert_string_equal(why, "run.upf: File exists");
	assert_int_equal(trace_file_close(f), 0);
	assert_true(has_text("run.upf", "precious"));
	assert_int_equal(entries_of("."), 1);
}

static void replaced_if_asked(void **state)
{
	struct trace_file *f;

	(void)state;
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

static void folders(void **state)
{
	(void)state;
	assert_null(open_file(".", false));
	assert_string_equal(why, ". is a directory: name a file in it");
	assert_null(open_file("none/run.upf", false));
	assert_string_equal(why, "cannot write in none/: No such file or directory");
	assert_int_equal(trace_file_check("none/run.upf", false, why, sizeof(why)), -1);
	assert_string_equal(why, "cannot write in none/: No such file or directory");
	assert_int_equal(trace_file_check("run.upf", false, why, sizeof(why)), 0);
}

static void a_folder_that_vanishes(void **state)
{
	struct trace_file *f;

	(void)state;
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

static void a_full_disk(void **state)
{
	struct trace_file *f = open_file("run.upf", false);
	int rc;

	(void)state;
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
static void a_closed_descriptor(void **state)
{
	int kept = dup(STDOUT_FILENO), rc;
	struct trace_file *f;

	(void)state;
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

static void a_reader_that_goes_away(void **state)
{
	struct trace_file *f;
	int fd;

	(void)state;
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

static void nobody_reads(void **state)
{
	const struct timespec none = {0};
	sigset_t set;

	(void)state;
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
static void a_socket(void **state)
{
	const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_null(open_file("socket", false));
	assert_string_equal(why, "socket: No such device or address");
	close(fd);
}

/* What @ctx says happens to the pipe while it is waited for. */
static void *replace(void *ctx)
{
	const struct timespec a_while = {.tv_nsec = 200000000};

	nanosleep(&a_while, NULL);
	rename(ctx, "pipe");
	return NULL;
}

static struct trace_file *open_replaced(const char *by)
{
	struct trace_file *f;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, replace, (void *)by), 0);
	f = open_file("pipe", false);
	pthread_join(thread, NULL);
	return f;
}

static void a_pipe_becomes_another_file(void **state)
{
	int fd;

	(void)state;
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
static void a_link_that_leads_elsewhere(void **state)
{
	(void)state;
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
static void a_pipe_made_anew(void **state)
{
	struct trace_file *f;
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(mkfifo("anew", 0666), 0);
	fd = open("anew", O_RDWR);
	f = open_replaced("anew");
	assert_non_null(f);
	assert_int_equal(trace_file_write(f, "head", 4), 0);
	assert_int_equal(trace_file_close(f), 0);
	close(fd);
}

/* Standard output that somebody made non-blocking. */
static void *drain(void *ctx)
{
	const struct timespec a_while = {.tv_nsec = 100000000};
	static char data[1 << 16];
	size_t total = 0;
	ssize_t n;

	nanosleep(&a_while, NULL);
	while ((n = read(*(int *)ctx, data, sizeof(data))) > 0)
		total += (size_t)n;
	return (void *)total;
}

static void a_pipe_without_blocking(void **state)
{
	static const char data[1 << 20];
	struct trace_file *f;
	int pair[2], kept = dup(STDOUT_FILENO), rc;
	pthread_t thread;
	void *total;

	(void)state;
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

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

static void is_named(const char *guest, bool overwrite, const char *name)
{
	char *got = trace_file_name(guest, overwrite);

	assert_string_equal(got, name);
	free(got);
}

static void names_are_free_and_in_this_folder(void **state)
{
	(void)state;
	is_named("web1", false, "web1.upf");
	is_named("../etc/x", false, "_._etc_x.upf");
	is_named("-f", false, "_f.upf");
	is_named(".", false, "_.upf");
	assert_int_equal(symlink("nowhere", "web1.upf"), 0);
	is_named("web1", false, "web1.1.upf");
	is_named("web1", true, "web1.upf");
	assert_int_equal(unlink("web1.upf"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(named_when_published),
		IN_FOLDER(nothing_is_left_of_an_unpublished_file),
		IN_FOLDER(an_existing_file_is_kept),
		IN_FOLDER(a_file_that_appears_is_kept),
		IN_FOLDER(replaced_if_asked),
		IN_FOLDER(folders),
		IN_FOLDER(a_folder_that_vanishes),
		IN_FOLDER(a_full_disk),
		IN_FOLDER(a_closed_descriptor),
		IN_FOLDER(a_reader_that_goes_away),
		IN_FOLDER(nobody_reads),
		IN_FOLDER(a_socket),
		IN_FOLDER(a_pipe_becomes_another_file),
		IN_FOLDER(a_link_that_leads_elsewhere),
		IN_FOLDER(a_pipe_made_anew),
		IN_FOLDER(a_pipe_without_blocking),
		IN_FOLDER(names_are_free_and_in_this_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
