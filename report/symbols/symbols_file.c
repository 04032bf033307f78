/* SPDX-License-Identifier: BSD-2-Clause */
/* symbols_file.c - which kind of file holds the symbols. */
#include "report/symbols/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_symbols(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return -1;
}

/* A pipe, as of <(nm guest), is kept in an unnamed file, so that it can be read from its beginning again. */
static int copy_pipe(int *fd)
{
	FILE *copy = tmpfile();
	char data[65536];
	ssize_t n;
	int rc = copy ? 0 : -errno;

	while (rc == 0 && (n = read(*fd, data, sizeof(data))) != 0) {
		if (n < 0 && errno != EINTR)
			rc = -errno;
		else if (n > 0 && fwrite(data, 1, (size_t)n, copy) != (size_t)n)
			rc = -errno;
	}
	if (rc == 0 && (fflush(copy) != 0 || lseek(fileno(copy), 0, SEEK_SET) < 0))
		rc = -errno;
	if (rc == 0 && dup2(fileno(copy), *fd) < 0)
		rc = -errno;
	if (copy)
		fclose(copy);
	return rc;
}

static int add_open_file(struct symbols *s, int fd, const char *path, const struct debug_search *where, char *why,
                         size_t size)
{
	unsigned char magic[SELFMAG];
	struct stat st;
	int rc = fstat(fd, &st) == 0 ? 0 : -errno;
	ssize_t n;

	if (rc == 0 && S_ISDIR(st.st_mode))
		rc = -EISDIR;
	if (rc == 0 && !S_ISREG(st.st_mode))
		rc = copy_pipe(&fd);
	n = rc == 0 ? pread(fd, magic, sizeof(magic), 0) : 0;
	if (rc != 0 || n < 0)
		return fail_symbols(why, size, strerror(rc != 0 ? -rc : errno));
	if (n == 0)
		return fail_symbols(
			why, size,
			"the file is empty: an ELF file, the output of nm, or a copy of /proc/kallsyms is needed");
	if (n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0)
		return symbols_add_elf(s, fd, path, where, why, size);
	return symbols_add_text(s, fd, why, size);
}

int symbols_add_file(struct symbols *s, const char *path, const struct debug_search *where, char *why, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return fail_symbols(why, size, strerror(errno));
	rc = add_open_file(s, fd, path, where, why, size);
	close(fd);
	return rc;
}
