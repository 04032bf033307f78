/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/output/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/parse.h"
#include "common/say.h"
#include "record/process/signals.h"
#include "record/process/thread.h"

#define NAMES_MAX 100000       /* that are tried */
#define OPEN_WAIT_NS 50000000u /* between two looks for a reader */

struct trace_file {
	int fd;
	bool overwrite;
	bool own; /* close fd at the end */
	char *path;
	char *temporary; /* its name until it is published; NULL: none, or published */
	int folder;      /* where that is, also if the folder gets another name; -1: none */
};

/* Waits for the reader of a named pipe. What else has none never will. */
static int open_patiently(const char *path, int flags, bool is_pipe)
{
	bool told = false;
	int fd;

	while ((fd = open(path, flags)) < 0 && errno == ENXIO && is_pipe && !signals_ending()) {
		if (!told)
			say("%s: waiting for a reader", path);
		told = true;
		clock_sleep(OPEN_WAIT_NS);
	}
	return fd;
}

/* What a name stood for before it was opened. */
struct looked_at {
	bool is_link;
	struct stat st; /* of the file that it leads to */
};

/* In this order, so that a link that is created in between is not followed. False: there is no such file. */
static bool inspect_path(const char *path, struct looked_at *l)
{
	struct stat link;

	l->is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
	return stat(path, &l->st) == 0;
}

/*
 * Is the opened file of the kind that was there before? Another file may have taken the name meanwhile, and root may
 * write to every file. A named pipe may be another one; a device must be the same.
 */
static bool is_as_expected(int fd, const struct looked_at *l)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == (l->st.st_mode & S_IFMT) && st.st_rdev == l->st.st_rdev;
}

/* Opens a named pipe or device itself. A symbolic link is followed only if the name was one before. */
static int open_in_place(struct trace_file *o, const struct looked_at *l, char *why, size_t size)
{
	const int flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	const bool is_pipe = S_ISFIFO(l->st.st_mode);

	o->fd = open_patiently(o->path, l->is_link ? flags : flags | O_NOFOLLOW, is_pipe);
	if (o->fd >= 0 && is_as_expected(o->fd, l)) {
		fcntl(o->fd, F_SETFL, fcntl(o->fd, F_GETFL) & ~O_NONBLOCK);
		return 0;
	}
	if (o->fd >= 0 || errno == ELOOP)
		snprintf(why, size, "%s: another file has taken its place", o->path);
	else
		snprintf(why, size, "%s: %s", o->path,
		         errno == ENXIO && is_pipe ? "no program reads it" : strerror(errno));
	if (o->fd >= 0)
		close(o->fd);
	return -1;
}

static int open_folder(const char *path, int length)
{
	char *name = length ? strndup(path, (size_t)length) : strdup(".");
	int fd = name ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(name);
	return fd;
}

static int open_beside_trace(struct trace_file *o, char *why, size_t size)
{
	const char *slash = strrchr(o->path, '/');
	int dir = slash ? (int)(slash - o->path) + 1 : 0;

	if (asprintf(&o->temporary, "%.*s.%s.XXXXXX", dir, o->path, o->path + dir) < 0) {
		o->temporary = NULL;
		return failure(why, size, -1, "out of memory");
	}
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd >= 0) {
		o->folder = open_folder(o->temporary, dir);
		return 0;
	}
	snprintf(why, size, "cannot write in %.*s: %s", dir ? dir : 1, dir ? o->path : ".", strerror(errno));
	free(o->temporary);
	o->temporary = NULL;
	return -1;
}

enum place {
	PLACE_BESIDE, /* as a new file with a temporary name in the same folder */
	PLACE_THERE,  /* the named pipe or device itself */
	PLACE_NONE,   /* not at all */
};

/* How to open @path; fills in @l. PLACE_NONE: @why says why. */
static enum place choose_place(const char *path, bool overwrite, struct looked_at *l, char *why, size_t size)
{
	if (!inspect_path(path, l))
		return PLACE_BESIDE;
	if (S_ISDIR(l->st.st_mode))
		return failure(why, size, PLACE_NONE, "%s is a directory: name a file in it", path);
	if (!S_ISREG(l->st.st_mode))
		return PLACE_THERE;
	if (overwrite)
		return PLACE_BESIDE;
	return failure(why, size, PLACE_NONE, "%s exists: choose another name, or replace it with -f", path);
}

static int open_path(struct trace_file *o, char *why, size_t size)
{
	struct looked_at l;

	switch (choose_place(o->path, o->overwrite, &l, why, size)) {
	case PLACE_BESIDE:
		return open_beside_trace(o, why, size);
	case PLACE_THERE:
		return open_in_place(o, &l, why, size);
	default:
		return -1;
	}
}

static int check_standard_output(char *why, size_t size)
{
	if (!isatty(STDOUT_FILENO))
		return 0;
	return failure(why, size, -1,
	               "a trace is binary and standard output is a terminal: use -o FILE, or pipe it into "
	               "uniprof-report -");
}

int trace_file_check(const char *path, bool overwrite, char *why, size_t size)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	struct looked_at l;
	enum place place;
	char text[PATH_MAX];

	if (strcmp(path, "-") == 0)
		return check_standard_output(why, size);
	place = choose_place(path, overwrite, &l, why, size);
	if (place != PLACE_BESIDE)
		return place == PLACE_THERE ? 0 : -1;
	snprintf(text, sizeof(text), "%.*s", dir ? dir : 1, dir ? path : ".");
	if (access(text, W_OK | X_OK) == 0)
		return 0;
	return failure(why, size, -1, "cannot write in %s: %s", text, strerror(errno));
}

struct trace_file *trace_file_open(const char *path, bool overwrite, char *why, size_t size)
{
	struct trace_file *o = calloc(1, sizeof(*o));

	if (!o || !(o->path = strdup(path))) {
		snprintf(why, size, "out of memory");
		free(o);
		return NULL;
	}
	o->overwrite = overwrite;
	o->folder = -1;
	if (strcmp(path, "-") == 0) {
		o->fd = STDOUT_FILENO;
		if (check_standard_output(why, size) == 0)
			return o;
	} else if (open_path(o, why, size) == 0) {
		o->own = true;
		return o;
	}
	free(o->path);
	free(o);
	return NULL;
}

/* Without -f never replaces a file, not even one created since the check: link() does not. */
static int move_into_place(const struct trace_file *o)
{
	if (o->overwrite)
		return rename(o->temporary, o->path);
	if (link(o->temporary, o->path) == 0)
		return unlink(o->temporary);
	/* File systems without hard links: FAT, some network file systems. */
	if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
		return renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->path, RENAME_NOREPLACE);
	return -1;
}

int trace_file_publish(struct trace_file *o, char *why, size_t size)
{
	if (!o->temporary)
		return 0;
	if (move_into_place(o) != 0)
		return failure(why, size, -1, "%s: %s", o->path, strerror(errno));
	free(o->temporary);
	o->temporary = NULL;
	return 0;
}

bool trace_file_is_regular(const struct trace_file *o)
{
	struct stat st;

	return fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
}

int trace_file_write(void *output, const void *data, size_t len)
{
	const struct trace_file *o = output;

	return write_all(o->fd, data, len);
}

static void remove_temporary(const struct trace_file *o)
{
	const char *slash = strrchr(o->temporary, '/');

	if (unlinkat(o->folder, slash ? slash + 1 : o->temporary, 0) != 0)
		unlink(o->temporary);
}

int trace_file_close(struct trace_file *o)
{
	int rc = 0;

	if (!o)
		return 0;
	if (o->own && close(o->fd) != 0)
		rc = -errno;
	if (o->temporary)
		remove_temporary(o);
	if (o->folder >= 0)
		close(o->folder);
	free(o->temporary);
	free(o->path);
	free(o);
	return rc;
}

/* --- a trace that was given no name ------------------------------------------------------------------------------ */

static char *numbered_name(const char *guest, unsigned number)
{
	char *name;
	int rc = number ? asprintf(&name, "%s.%u.upf", guest, number) : asprintf(&name, "%s.upf", guest);

	return rc < 0 ? NULL : name;
}

char *trace_file_name(const char *guest, bool overwrite)
{
	char *plain = strdup(guest), *name;
	unsigned number = 0;
	struct stat st;

	if (!plain)
		return NULL;
	for (char *c = plain; *c; c++)
		if (strchr("/*?[]", *c) || (c == plain && (*c == '.' || *c == '-')))
			*c = '_';
	name = numbered_name(plain, number);
	while (name && !overwrite && number < NAMES_MAX && lstat(name, &st) == 0) {
		free(name);
		name = numbered_name(plain, ++number);
	}
	free(plain);
	return name;
}

void trace_file_give(struct trace_file *o)
{
	uid_t user;
	gid_t group;

	if (o->temporary && thread_sudo_user(&user, &group) && fchown(o->fd, user, group) != 0)
		return; /* it stays root's */
}
