/* SPDX-License-Identifier: BSD-2-Clause */
/* A copied descriptor is what it was asked to be, or none. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kvmif/process/descriptor.h"

TEST(only_what_has_the_name_is_taken)
{
	const int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	const int event = eventfd(0, EFD_CLOEXEC), file = memfd_create(DESCRIPTOR_VCPU "0", MFD_CLOEXEC);
	int copy;

	assert_true(pidfd >= 0 && event >= 0 && file >= 0);
	copy = descriptor_take(pidfd, event, "anon_inode:[eventfd]");
	assert_true(copy > file);
	/* What was refused has been closed. */
	assert_int_equal(descriptor_take(pidfd, event, "anon_inode:[event"), -EBADFD);
	assert_int_equal(descriptor_take(pidfd, event, "anon_inode:[eventfd]0"), -EBADFD);
	assert_int_equal(descriptor_take(pidfd, file, DESCRIPTOR_VCPU "0"), -EBADFD);
	assert_int_equal(dup(event), copy + 1);
	assert_int_equal(descriptor_take(pidfd, copy + 2, DESCRIPTOR_VCPU "0"), -EBADF);
	close(copy + 1);
	close(copy);
	close(file);
	close(event);
	close(pidfd);
}
