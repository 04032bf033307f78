/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/hypervisor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t marks_size(size_t n)
{
	return (n * sizeof(struct pause_mark) + GUEST_PAGE_SIZE - 1) & ~(size_t)(GUEST_PAGE_SIZE - 1);
}

struct pause_mark *marks_new(size_t n)
{
	/*
	 * From Linux 4.18 on this device gives pages that the kernel neither moves nor unmaps for a moment. Without
	 * it, locked memory is nearly as good.
	 */
	int fd = open("/dev/xen/hypercall", O_RDWR | O_CLOEXEC);
	void *p = MAP_FAILED;

	if (fd >= 0) {
		p = mmap(NULL, marks_size(n), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (p == MAP_FAILED) {
		p = mmap(NULL, marks_size(n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p != MAP_FAILED)
			mlock(p, marks_size(n)); /* best effort */
	}
	return p == MAP_FAILED ? NULL : p;
}

void marks_free(struct pause_mark *marks, size_t n)
{
	if (marks)
		munmap(marks, marks_size(n));
}
