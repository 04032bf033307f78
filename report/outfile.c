/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (64u << 10)

static ssize_t write_all(void *ctx, const char *data, size_t len)
{
	struct outfile *o = ctx;
	size_t done = 0;

	while (o->error == 0 && done < len) {
		ssize_t n = write(o->fd, data + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			o->error = n == 0 ? -EIO : -errno;
	}
	return o->error == 0 ? (ssize_t)len : 0;
}

/* Beside the file that @path names in the end, with that one's mode. */
static int open_beside(struct outfile *o, const char *path, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	o->path = old ? realpath(path, NULL) : strdup(path);
	if (!o->path || asprintf(&o->beside, "%s.XXXXXX", o->path) < 0) {
		o->beside = NULL;
		return -errno;
	}
	o->fd = mkstemp(o->beside);
	if (o->fd < 0) {
		int rc = -errno;

		free(o->beside);
		o->beside = NULL;
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
		return errno == ENOENT ? open_beside(o, path, NULL) : -errno;
	if (S_ISREG(st.st_mode))
		return access(path, W_OK) == 0 ? open_beside(o, path, &st) : -errno;
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? -errno : 0;
}

static void clean_up(struct outfile *o)
{
	if (o->beside)
		unlink(o->beside);
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	free(o->path);
	free(o->beside);
	o->path = o->beside = NULL;
	o->file = NULL;
}

int outfile_open(struct outfile *o, const char *path)
{
	const cookie_io_functions_t functions = {.write = write_all};
	int rc;

	*o = (struct outfile){.fd = -1};
	rc = open_fd(o, path);
	if (rc == 0) {
		o->file = fopencookie(o, "w", functions);
		rc = o->file ? 0 : -ENOMEM;
	}
	if (rc == 0)
		setvbuf(o->file, NULL, _IOFBF, BUFFER);
	else
		clean_up(o);
	return rc;
}

int outfile_close(struct outfile *o, bool keep)
{
	int rc = 0;

	if (fclose(o->file) != 0 && o->error == 0)
		o->error = -EIO;
	if (o->fd > STDERR_FILENO) {
		if (close(o->fd) != 0 && o->error == 0)
			o->error = -errno;
		o->fd = -1;
	}
	rc = o->error;
	if (rc == 0 && keep && o->beside) {
		if (rename(o->beside, o->path) == 0) {
			free(o->beside);
			o->beside = NULL;
		} else {
			rc = -errno;
		}
	}
	clean_up(o);
	return rc;
}
