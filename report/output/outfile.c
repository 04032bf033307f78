/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output/outfile.h"
#include "common/say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (64u << 10)
#define GZIP_WINDOW (15 + 16) /* the largest window, with gzip's header: zlib.h, deflateInit2() */

/* --- a signal that ends the program ------------------------------------------------------------------------------ */

/* The one file that is being written under a temporary name; a signal handler has no other way to know it. */
static const char *volatile unfinished;

void outfile_abandon(void)
{
	const char *path = unfinished;

	if (path)
		unlink(path);
}

static void forget_beside(struct outfile *o)
{
	unfinished = NULL;
	free(o->beside);
	o->beside = NULL;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static void write_bytes(struct outfile *o, const void *data, size_t len)
{
	if (o->error == 0)
		o->error = write_all(o->fd, data, len);
}

/* Compresses @len bytes; with Z_FINISH all that is left, and gzip's trailer. */
static void squeeze(struct outfile *o, const char *data, size_t len, int flush)
{
	unsigned char out[BUFFER / 2];

	o->gzip.next_in = (Bytef *)data;
	o->gzip.avail_in = (unsigned)len;
	do {
		o->gzip.next_out = out;
		o->gzip.avail_out = sizeof(out);
		deflate(&o->gzip, flush);
		write_bytes(o, out, sizeof(out) - o->gzip.avail_out);
	} while (o->error == 0 && o->gzip.avail_out == 0);
}

static ssize_t write_pipe(void *ctx, const char *data, size_t len)
{
	struct outfile *o = ctx;
	size_t most = 1u << 30; /* zlib counts in 32 bits */

	if (!o->compressed)
		write_bytes(o, data, len);
	for (size_t done = 0; o->compressed && o->error == 0 && done < len; done += most)
		squeeze(o, data + done, len - done < most ? len - done : most, Z_NO_FLUSH);
	return o->error == 0 ? (ssize_t)len : 0;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

/* As mkstemp(), but no signal comes between the file and the note of it; the program has one thread when it opens. */
static int make_unfinished(char *path)
{
	sigset_t all, old;
	int fd;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	fd = mkstemp(path);
	if (fd >= 0)
		unfinished = path;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return fd;
}

/* Beside the file that @path names in the end, with that one's mode. */
static int open_beside_old(struct outfile *o, const char *path, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	o->path = old ? realpath(path, NULL) : strdup(path);
	if (!o->path || asprintf(&o->beside, "%s.XXXXXX", o->path) < 0) {
		o->beside = NULL;
		return -errno;
	}
	o->fd = make_unfinished(o->beside);
	if (o->fd < 0) {
		int rc = -errno;

		forget_beside(o);
		return rc;
	}
	if (fchmod(o->fd, old ? old->st_mode & 0777 : 0666 & ~mask) != 0)
		return -errno;
	return 0;
}

static int open_fd(struct outfile *o, const char *path)
{
	struct stat st;

	o->fd = STDOUT_FILENO;
	if (!path || strcmp(path, "-") == 0)
		return 0;
	o->fd = -1;
	if (stat(path, &st) != 0)
		return errno == ENOENT ? open_beside_old(o, path, NULL) : -errno;
	if (S_ISREG(st.st_mode))
		return access(path, W_OK) == 0 ? open_beside_old(o, path, &st) : -errno;
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? -errno : 0;
}

static int start_gzip(struct outfile *o)
{
	if (isatty(o->fd))
		return -ENOTTY;
	if (deflateInit2(&o->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	o->compressed = true;
	return 0;
}

static void remove_unfinished(struct outfile *o)
{
	if (o->beside)
		unlink(o->beside);
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->compressed)
		deflateEnd(&o->gzip);
	free(o->path);
	forget_beside(o);
	o->path = NULL;
	o->file = NULL;
}

static bool ends_in_gz(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len > 3 && strcmp(path + len - 3, ".gz") == 0;
}

int outfile_open(struct outfile *o, const char *path, bool compress)
{
	const cookie_io_functions_t functions = {.write = write_pipe};
	int rc;

	*o = (struct outfile){.fd = -1};
	rc = open_fd(o, path);
	if (rc == 0 && (compress || ends_in_gz(path)))
		rc = start_gzip(o);
	if (rc == 0) {
		o->file = fopencookie(o, "w", functions);
		rc = o->file ? 0 : -ENOMEM;
	}
	if (rc == 0)
		setvbuf(o->file, NULL, _IOFBF, BUFFER);
	else
		remove_unfinished(o);
	return rc;
}

int outfile_close(struct outfile *o, bool keep)
{
	int rc = 0;

	if (fclose(o->file) != 0 && o->error == 0)
		o->error = -EIO;
	if (o->compressed && o->error == 0)
		squeeze(o, NULL, 0, Z_FINISH);
	if (o->fd > STDERR_FILENO) {
		if (close(o->fd) != 0 && o->error == 0)
			o->error = -errno;
		o->fd = -1;
	}
	rc = o->error;
	if (rc == 0 && keep && o->beside) {
		if (rename(o->beside, o->path) == 0)
			forget_beside(o);
		else
			rc = -errno;
	}
	remove_unfinished(o);
	return rc;
}
