/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of iterator.c, where clang, bpftool or libbpf was missing in the build. */
#include <errno.h>
#include <stdio.h>

#include "kvmif/bpf/iterator.h"

struct iterator *iterator_open(char *why, size_t size)
{
	snprintf(why, size, "built without libbpf");
	errno = ENOSYS;
	return NULL;
}

void iterator_close(struct iterator *it)
{
	(void)it;
}

int iterator_read(struct iterator *it, pid_t pid, int (*each)(void *ctx, const struct kvm_record *record), void *ctx)
{
	(void)it, (void)pid, (void)each, (void)ctx;
	return -ENOSYS;
}
