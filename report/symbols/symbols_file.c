/* SPDX-License-Identifier: BSD-2-Clause */
/* symbols_file.c - which kind of file holds the symbols. */
#include "common/regular_file.h"
#include "common/say.h"
#include "report/elf/elf_file.h"
#include "report/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe, as of <(nm guest), is kept in an unnamed file, so that it can be read from its beginning again. */
static int copy_pipe(int fd)
{
	FILE *copy = unnamed_file();
	char data[65536];
	ssize_t n;
	int rc = copy ? 0 : -errno;

	while (rc == 0 && (n = read(fd, data, sizeof(data))) != 0) {
		if (n < 0 && errno != EINTR)
			rc = -errno;
		else if (n > 0 && fwrite(data, 1, (size_t)n, copy) != (size_t)n)
			rc = -errno;
	}
	if (rc == 0 && (fflush(copy) != 0 || lseek(fileno(copy), 0, SEEK_SET) < 0))
		rc = -errno;
	if (rc == 0 && dup2(fileno(copy), fd) < 0)
		rc = -errno;
	if (copy)
		fclose(copy);
	return rc;
}

/* Does an ELF file begin at @fd? 1, 0 or a negative errno; -ENODATA: it is empty. */
static int is_elf(int fd)
{
	unsigned char magic[SELFMAG];
	struct stat st;
	int rc = fstat(fd, &st) == 0 ? 0 : -errno;
	ssize_t n;

	if (rc == 0 && S_ISDIR(st.st_mode))
		rc = -EISDIR;
	if (rc == 0 && !S_ISREG(st.st_mode))
		rc = copy_pipe(fd);
	if (rc != 0)
		return rc;
	n = pread(fd, magic, sizeof(magic), 0);
	if (n <= 0)
		return n < 0 ? -errno : -ENODATA;
	return n == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static int add_binary(struct symbols *s, const struct elf_file *f, const struct debug_search *where, char *why,
                      size_t size)
{
	int rc;

	if (f->header.e_type == ET_REL)
		return failure(why, size, 1,
		               "a relocatable object, not linked yet: it does not know the addresses the guest runs "
		               "at");
	rc = symbols_add_elf(s, f, where);
	if (rc == 1)
		return 0;
	if (rc < 0)
		return failure(why, size, -1, "%s", strerror(-rc));
	if (elf_file_has_table(f, SHT_SYMTAB))
		return failure(why, size, -1, "an ELF file without a function in its symbol table");
	return failure(why, size, 1,
	               "an ELF file without symbols (stripped?): the file as it was linked is needed, or its debug "
	               "file where --symfs or build-id directories lead to it");
}

int symbols_add_file(struct symbols *s, const char *path, const struct debug_search *where, char *why, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), kind = fd < 0 ? -errno : is_elf(fd), rc;
	struct elf_file *f;

	if (kind == 0)
		return symbols_add_text(s, fd, why, size);
	if (kind == 1) {
		f = elf_file_of_fd(fd, path, why, size);
		rc = f ? add_binary(s, f, where, why, size) : -1;
		elf_file_close(f);
		return rc;
	}
	if (fd >= 0)
		close(fd);
	return failure(why, size, -1, "%s",
	               kind == -ENODATA ? "the file is empty: an ELF file, the output of nm, or a copy of "
	                                  "/proc/kallsyms is needed"
	                                : strerror(-kind));
}
