/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared.h - guest memory that its monitor shares by a memfd: mapped here, read-only, a pause reads it without a call.
 *
 * Only a file that is sealed against shrinking is mapped, as QEMU's are: a monitor that cuts the file short would kill
 * the recorder (SIGBUS). Others are read by a call, as private memory is.
 *
 * A page that the file does not have yet is read by way of the monitor first: here the kernel would make one, and a
 * monitor that receives a migrated guest (postcopy) would take it for a page that has come. Huge pages (hugetlbfs), for
 * which there may be no memory left, are read by a call, as private memory is.
 */
#ifndef KVMIF_MEMORY_SHARED_H
#define KVMIF_MEMORY_SHARED_H

#include "kvmif/memory/layout.h"

#define SHARED_MAX 8

struct shared_part {
	uint64_t address, size; /* in the monitor */
	const uint8_t *here;
	int fd;          /* of the file, */
	uint64_t offset; /* and where in it */
};

struct shared {
	struct shared_part parts[SHARED_MAX];
	size_t n;
};

/* Maps what it can of the memory of @l, of the process @pid of @pidfd. All zero to begin with. */
void shared_map(struct shared *s, const struct layout *l, int pidfd, pid_t pid);
void shared_unmap(struct shared *s);
/* The page that is at @address in the monitor @pid; NULL: it is not mapped here, or there is none. */
const void *shared_page(const struct shared *s, pid_t pid, uint64_t address);

#endif
