/* SPDX-License-Identifier: BSD-2-Clause */
/* folder.h - for tests of the output: a folder of each test's own, and what is left open or lying about in it. */
#ifndef TESTS_UNIT_RECORD_FOLDER_H
#define TESTS_UNIT_RECORD_FOLDER_H

#include "tests/unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAYBE __attribute__((unused)) static

/* The number of names in @path, . and .. not among them. */
MAYBE unsigned entries_of(const char *path)
{
	DIR *d = opendir(path);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

MAYBE unsigned open_descriptors(void)
{
	return entries_of("/proc/self/fd");
}

MAYBE int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* Setup and teardown: the current folder is a new, empty one; at the end no more descriptors are open than before. */
struct folder {
	char path[64];
	unsigned descriptors;
	int messages; /* standard error as it was */
};

MAYBE void enter_folder(struct folder *f)
{
	snprintf(f->path, sizeof(f->path), "/tmp/uniprof-test-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	assert_int_equal(chdir(f->path), 0);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* What the code under test tells the user is no part of the test's output. */
	f->messages = dup(STDERR_FILENO);
	assert_non_null(freopen("/dev/null", "w", stderr));
	f->descriptors = open_descriptors();
}

MAYBE void leave_folder(struct folder *f)
{
	unsigned descriptors = open_descriptors();

	assert_int_equal(chdir("/"), 0);
	fflush(stderr);
	dup2(f->messages, STDERR_FILENO);
	close(f->messages);
	assert_int_equal(nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	assert_int_equal(descriptors, f->descriptors);
}

#define FOLDER_TEST(name) TEST_WITH(name, struct folder, folder, enter_folder, leave_folder)

/* The most bytes that a file may have from now on; RLIM_INFINITY: no limit. */
MAYBE void limit_files(rlim_t bytes)
{
	struct rlimit r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
	r.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

MAYBE void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

MAYBE bool has_text(const char *path, const char *text)
{
	char got[256] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(got, 1, sizeof(got) - 1, f) : 0;

	if (f)
		fclose(f);
	return f && n == strlen(text) && strcmp(got, text) == 0;
}

#endif
