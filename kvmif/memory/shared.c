/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/memory/shared.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kvmif/memory/remote.h"

struct file {
	dev_t device;
	ino_t inode;
};

static bool is_memory_file(const struct stat *st, const struct file *file)
{
	return S_ISREG(st->st_mode) && st->st_dev == file->device && st->st_ino == file->inode;
}

/* Never shorter than now: a read behind the end of a mapped file is SIGBUS. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && seals & F_SEAL_SHRINK;
}

/* The process may have closed the descriptor meanwhile, and have another file there. */
static bool is_mappable(int fd, const struct file *file)
{
	struct statfs fs;
	struct stat st;

	return fstat(fd, &st) == 0 && is_memory_file(&st, file) && fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
	       is_sealed(fd);
}

/*
 * Descriptor @number of the process, opened anew for reading: a mere copy would have one position with the process's
 * own, which lseek() moves. -1: it is not that file, or cannot be mapped.
 */
static int open_again(int pidfd, int number, const struct file *file)
{
	int copy = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0), fd = -1;
	char path[64];

	if (copy < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	if (is_mappable(copy, file))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(copy);
	return fd;
}

/* Our own descriptor of that file in memory, which the process has open as well; or -1. */
static int open_memory_file(int pidfd, pid_t pid, const struct file *file)
{
	char path[64];
	struct dirent *e;
	struct stat st;
	int fd = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && fd < 0 && (e = readdir(dir))) {
		if (fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && is_memory_file(&st, file))
			fd = open_again(pidfd, atoi(e->d_name), file);
	}
	if (dir)
		closedir(dir);
	return fd;
}

static bool is_memory(const struct layout *l, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < l->nslots; i++)
		if (l->slots[i].host_address < end && start < l->slots[i].host_address + l->slots[i].size)
			return true;
	return false;
}

static void add_part(struct shared *s, const struct shared_part *part)
{
	struct shared_part *p = &s->parts[s->n];
	void *here = mmap(NULL, part->size, PROT_READ, MAP_SHARED, part->fd, (off_t)part->offset);

	*p = *part;
	p->here = here;
	if (here != MAP_FAILED)
		s->n++;
	else
		close(part->fd);
}

/* A line of /proc/PID/maps. */
static void add_mapping(struct shared *s, const struct layout *l, int pidfd, pid_t pid, const char *line)
{
	uint64_t start, end, offset, inode;
	struct shared_part part;
	unsigned major, minor;
	struct file file;
	char perms[5];

	if (s->n == SHARED_MAX || sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &start, &end,
	                                 perms, &offset, &major, &minor, &inode) != 7)
		return;
	if (perms[3] != 's' || !inode || !is_memory(l, start, end))
		return;
	file = (struct file){makedev(major, minor), (ino_t)inode};
	part = (struct shared_part){start, end - start, NULL, open_memory_file(pidfd, pid, &file), offset};
	if (part.fd >= 0)
		add_part(s, &part);
}

void shared_map(struct shared *s, const struct layout *l, int pidfd, pid_t pid)
{
	char path[64], line[4352];
	FILE *f;

	shared_unmap(s);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		add_mapping(s, l, pidfd, pid, line);
	if (f)
		fclose(f);
}

void shared_unmap(struct shared *s)
{
	for (size_t i = 0; i < s->n; i++) {
		munmap((void *)(uintptr_t)s->parts[i].here, s->parts[i].size);
		close(s->parts[i].fd);
	}
	s->n = 0;
}

static bool is_there(const struct shared_part *p, uint64_t at)
{
	const off_t offset = (off_t)(p->offset + at);

	return lseek(p->fd, offset, SEEK_DATA) == offset;
}

const void *shared_page(const struct shared *s, pid_t pid, uint64_t address)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct shared_part *p = &s->parts[i];
		const uint64_t at = address - p->address;

		if (address < p->address || at >= p->size)
			continue;
		if (!is_there(p, at))
			remote_is_readable(pid, address); /* which has it read in */
		if (!is_there(p, at))
			return NULL;
		(void)*(const volatile uint8_t *)(p->here + at); /* not for the first time in a pause */
		return p->here + at;
	}
	return NULL;
}
