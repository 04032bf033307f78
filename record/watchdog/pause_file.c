/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/watchdog/pause_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/say.h"

#define MAGIC "uniprof pauses 1"
#define DOMAINS_MAX 65536
#define LOCK_TRIES 20
#define LOCK_WAIT_NS 100000000u /* between two */

struct identity {
	uint32_t domid;
	uint8_t uuid[16];
};

/* Then an identity of each domain; on pages of their own the watches; and the marks. */
struct header {
	char magic[sizeof(MAGIC)], boot[40], backend[32];
	uint32_t watch_size, mark_size, n;
};

struct pause_file {
	char *path;
	int fd;
	struct header *head; /* the whole file */
	size_t size;
};

struct layout {
	size_t watches, marks, size;
};

static size_t pages(size_t size)
{
	return (size + GUEST_PAGE_SIZE - 1) & ~(size_t)(GUEST_PAGE_SIZE - 1);
}

static struct layout layout_of(size_t n)
{
	const size_t watches = pages(sizeof(struct header) + n * sizeof(struct identity));
	const size_t marks = watches + pages(n * sizeof(struct watch));

	return (struct layout){watches, marks, marks + pages(n * sizeof(struct pause_mark))};
}

static void *at(const struct pause_file *f, size_t offset)
{
	return (uint8_t *)f->head + offset;
}

static struct identity *identities(const struct pause_file *f)
{
	return at(f, sizeof(struct header));
}

/* A domain's number and UUID may be those of another one after the host has booted again. */
static void read_boot(char boot[static 40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(boot, 0, 40);
	if (fd >= 0 && read(fd, boot, 36) < 0)
		boot[0] = '\0';
	if (fd >= 0)
		close(fd);
}

static struct header expected(const char *backend, size_t n)
{
	struct header h = {
		.watch_size = sizeof(struct watch), .mark_size = sizeof(struct pause_mark), .n = (uint32_t)n};

	memcpy(h.magic, MAGIC, sizeof(h.magic));
	read_boot(h.boot);
	snprintf(h.backend, sizeof(h.backend), "%s", backend);
	return h;
}

/* The recorder or its watchdog, which may just be undoing a pause, may still live. 0 or -1 with @why. */
static int lock(const struct pause_file *f, char *why, size_t size)
{
	int rc = flock(f->fd, LOCK_EX | LOCK_NB);

	for (int i = 0; rc != 0 && errno == EWOULDBLOCK && i < LOCK_TRIES; i++) {
		clock_sleep(LOCK_WAIT_NS);
		rc = flock(f->fd, LOCK_EX | LOCK_NB);
	}
	if (rc != 0)
		snprintf(why, size, "%s: %s", f->path,
		         errno == EWOULDBLOCK ? "a recorder that uses it is still there" : strerror(errno));
	return rc;
}

/* Whoever could write to it could have any paused domain resumed. */
static int check_owner(const struct pause_file *f, char *why, size_t size)
{
	struct stat st;
	struct statfs fs;

	if (fstat(f->fd, &st) != 0 || fstatfs(f->fd, &fs) != 0)
		snprintf(why, size, "%s: %s", f->path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & 022)
		snprintf(why, size, "%s: must be a file that nobody else can write to", f->path);
	else if (fs.f_type != TMPFS_MAGIC)
		snprintf(why, size, "%s: must be on a tmpfs, such as /run", f->path);
	else
		return 0;
	errno = EINVAL;
	return -1;
}

static int map_pause_file(struct pause_file *f, size_t size)
{
	f->head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, f->fd, 0);
	if (f->head == MAP_FAILED) {
		f->head = NULL;
		return -1;
	}
	f->size = size;
	mlock(f->head, size); /* best effort */
	return 0;
}

/* Again if the recorder that we have waited for has removed it. */
static int open_locked(struct pause_file *f, bool create, char *why, size_t size)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	struct stat st;
	bool is_new;

	do {
		if (f->fd >= 0)
			close(f->fd);
		f->fd = open(f->path, flags);
		is_new = f->fd < 0 && errno == ENOENT && create;
		if (is_new)
			f->fd = open(f->path, flags | O_CREAT | O_EXCL, 0600);
		if (f->fd < 0)
			return failure(why, size, -1, "%s: %s", f->path, strerror(errno));
		if (check_owner(f, why, size) != 0) {
			if (is_new)
				unlink(f->path);
			return -1;
		}
		if (lock(f, why, size) != 0)
			return -1;
	} while (fstat(f->fd, &st) == 0 && st.st_nlink == 0);
	return 0;
}

static struct pause_file *open_mapped(const char *path, bool create, char *why, size_t size)
{
	struct pause_file *f = calloc(1, sizeof(*f));

	if (!f || !(f->path = strdup(path))) {
		snprintf(why, size, "out of memory");
		free(f);
		return NULL;
	}
	f->fd = -1;
	if (open_locked(f, create, why, size) == 0)
		return f;
	pause_file_close(f, false);
	return NULL;
}

/* Nothing in it is trusted but what fits this program, this boot and its own size. */
static int read_head(struct pause_file *f)
{
	struct header h, want;
	struct stat st;

	if (pread(f->fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || fstat(f->fd, &st) != 0)
		return -1;
	h.backend[sizeof(h.backend) - 1] = '\0';
	want = expected(h.backend, h.n);
	if (memcmp(h.magic, want.magic, sizeof(h.magic)) != 0 || memcmp(h.boot, want.boot, sizeof(h.boot)) != 0 ||
	    h.watch_size != want.watch_size || h.mark_size != want.mark_size || h.n > DOMAINS_MAX ||
	    (uint64_t)st.st_size != layout_of(h.n).size)
		return -1;
	return map_pause_file(f, layout_of(h.n).size);
}

/* Does it say that domain @i is paused? */
static bool is_left(const struct pause_file *f, size_t i, const struct hypervisor_ops *ops)
{
	return watch_left(&pause_file_watches(f)[i]) != WATCH_LEFT_NONE &&
	       ops->watch.is_marked(&pause_file_marks(f)[i], true);
}

/* What a killed recorder has left must not be lost, nor what is no pause file. 0 or -1 with @why. */
static int check_old(struct pause_file *f, const struct hypervisor_ops *ops, char *why, size_t size)
{
	char magic[sizeof(MAGIC)] = "";
	bool left = false;

	/* One that was killed while it created the file has left zeros. */
	if (pread(f->fd, magic, sizeof(magic), 0) > 0 && magic[0] && memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return failure(why, size, -1, "%s: is not a pause file: remove it, or give another name", f->path);
	if (read_head(f) != 0)
		return 0;
	for (size_t i = 0; i < pause_file_domains(f) && strcmp(pause_file_backend(f), ops->name) == 0; i++)
		left |= is_left(f, i, ops);
	munmap(f->head, f->size);
	f->head = NULL;
	return left ? failure(why, size, -1,
	                      "%s: a recorder that was killed may have left a domain paused: use --resume-paused first",
	                      f->path)
	            : 0;
}

struct pause_file *pause_file_new(const char *path, const struct hypervisor_ops *ops, size_t n, char *why, size_t size)
{
	struct pause_file *f = open_mapped(path, true, why, size);
	const struct layout l = layout_of(n);

	if (!f || check_old(f, ops, why, size) != 0) {
		pause_file_close(f, false);
		return NULL;
	}
	if (ftruncate(f->fd, 0) == 0 && (errno = posix_fallocate(f->fd, 0, (off_t)l.size)) == 0 &&
	    map_pause_file(f, l.size) == 0) {
		*f->head = expected(ops->name, n);
		return f;
	}
	snprintf(why, size, "%s: %s", path, strerror(errno));
	pause_file_close(f, true);
	return NULL;
}

struct pause_file *pause_file_open(const char *path, char *why, size_t size)
{
	struct pause_file *f = open_mapped(path, false, why, size);

	if (!f || read_head(f) == 0)
		return f;
	snprintf(why, size, "%s: no recorder has written this since the host booted, or one of another version", path);
	pause_file_close(f, false);
	return NULL;
}

void pause_file_close(struct pause_file *f, bool remove)
{
	int error = errno;

	if (!f)
		return;
	if (remove)
		unlink(f->path);
	if (f->head)
		munmap(f->head, f->size);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
	errno = error;
}

int pause_file_fd(const struct pause_file *f)
{
	return f->fd;
}

struct watch *pause_file_watches(const struct pause_file *f)
{
	return at(f, layout_of(f->head->n).watches);
}

struct pause_mark *pause_file_marks(const struct pause_file *f)
{
	return at(f, layout_of(f->head->n).marks);
}

void pause_file_set(struct pause_file *f, size_t i, const struct guest_info *info)
{
	identities(f)[i].domid = info->domid;
	memcpy(identities(f)[i].uuid, info->uuid, sizeof(info->uuid));
}

const char *pause_file_backend(const struct pause_file *f)
{
	return f->head->backend;
}

size_t pause_file_domains(const struct pause_file *f)
{
	return f->head->n;
}

enum pause_left pause_file_undo(struct pause_file *f, size_t i, const struct hypervisor_ops *ops, struct hypervisor *x,
                                uint32_t *domid)
{
	const struct identity *is = &identities(f)[i];
	struct pause_mark *mark = &pause_file_marks(f)[i];
	enum watch_left left = watch_left(&pause_file_watches(f)[i]);
	struct guest_info info;
	struct guest *guest;
	int rc;

	*domid = is->domid;
	if (ops->watch.ends_with_recorder || !is_left(f, i, ops) || ops->host.find(x, is->domid, &info) != 0 ||
	    memcmp(info.uuid, is->uuid, sizeof(info.uuid)) != 0 || !info.paused)
		return PAUSE_NONE;
	if (left == WATCH_LEFT_TAKEN)
		return PAUSE_UNSURE;
	guest = ops->guest.attach(x, &info, NULL, ATTACH_TO_WATCH);
	if (!guest)
		return PAUSE_FAILED;
	memset(mark, 0, sizeof(*mark)); /* once only, whatever happens to this process */
	rc = ops->watch.unpause(guest);
	ops->guest.detach(guest);
	errno = -rc;
	return rc == 0 ? PAUSE_RESUMED : PAUSE_FAILED;
}
