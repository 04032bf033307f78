/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/hypervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool hook_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
                  size_t size)
{
	(void)x, (void)info;
	if (!operand && error == ENOTSUP)
		snprintf(why, size, "this build records only PV guests: build with XENIF=xencall");
	else
		snprintf(why, size, "%s", operand ? "" : strerror(error));
	return false;
}

int hook_settle(struct guest *g, char *how, size_t size)
{
	(void)g;
	snprintf(how, size, "%s", "");
	return 0;
}

int hook_run(struct guest *g, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns)
{
	(void)g, (void)cpu_ns;
	work(ctx);
	return 0;
}

void hook_let_go(struct guest *g)
{
	(void)g;
}

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
