/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that a monitor shares, mapped here: what is there is read, and nothing comes to be there by reading. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kvmif/memory/shared.h"

#define PAGE 4096u
#define PAGES 16u

/* This process is its own monitor. */
static struct monitor {
	int fd, pidfd;
	char *memory;
	struct memory_slot slot;
	struct layout layout;
	struct shared shared;
} m;

/* @sealed: as QEMU does. */
static int start(int fd, int flags, bool sealed)
{
	m.fd = fd;
	m.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	assert_true(m.fd >= 0 && m.pidfd >= 0);
	assert_int_equal(ftruncate(m.fd, PAGES * PAGE), 0);
	if (sealed)
		assert_int_equal(fcntl(m.fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL), 0);
	m.memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags, m.fd, 0);
	assert_ptr_not_equal(m.memory, MAP_FAILED);
	m.slot = (struct memory_slot){0, PAGES * PAGE, (uintptr_t)m.memory};
	m.layout = (struct layout){.slots = &m.slot, .nslots = 1};
	strcpy(m.memory + 3 * PAGE, "three");
	shared_map(&m.shared, &m.layout, m.pidfd, getpid());
	return 0;
}

static void end(void)
{
	shared_unmap(&m.shared);
	munmap(m.memory, PAGES * PAGE);
	close(m.fd);
	close(m.pidfd);
}

static const char *page(unsigned number)
{
	return shared_page(&m.shared, getpid(), (uintptr_t)m.memory + number * PAGE);
}

TEST(what_is_there_is_read)
{
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_SHARED, true);
	assert_int_equal(m.shared.n, 1);
	assert_string_equal(page(3), "three");
	assert_ptr_not_equal(page(3), m.memory + 3 * PAGE);
	strcpy(m.memory + 3 * PAGE, "four");
	assert_string_equal(page(3), "four");
	assert_null(page(PAGES));
	shared_unmap(&m.shared);
	assert_null(page(3));
	end();
}

/* Who receives a migrated guest would take a page of zeros for one that has come. */
TEST(a_hole_is_not_filled_from_here)
{
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_SHARED, true);
	assert_null(shared_page(&m.shared, -1, (uintptr_t)m.memory + 5 * PAGE));
	assert_int_equal(lseek(m.fd, 0, SEEK_DATA), 3 * PAGE);
	assert_int_equal(lseek(m.fd, 4 * PAGE, SEEK_DATA), -1);
	/* It comes by way of the monitor only. */
	assert_non_null(page(5));
	assert_int_equal(lseek(m.fd, 4 * PAGE, SEEK_DATA), 5 * PAGE);
	end();
}

/* A descriptor's position is one with that of its copies, and the monitor may read by it. */
TEST(the_monitors_position_stays)
{
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_SHARED, true);
	assert_int_equal(lseek(m.fd, 7, SEEK_SET), 7);
	assert_non_null(page(3));
	assert_int_equal(lseek(m.fd, 0, SEEK_CUR), 7);
	end();
}

TEST(other_memory_is_not_mapped)
{
	char path[] = "/var/tmp/sharedXXXXXX";

	/* Private: the file is not what the guest sees. */
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_PRIVATE, true);
	assert_int_equal(m.shared.n, 0);
	end();
	/* On a disk: reading may wait for it. */
	start(mkstemp(path), MAP_SHARED, false);
	unlink(path);
	assert_int_equal(m.shared.n, 0);
	end();
	/* Where it is cut short while a pause reads it, the kernel would end the recorder. */
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_SHARED, false);
	assert_int_equal(m.shared.n, 0);
	end();
	/* No memory of the guest's. */
	start(memfd_create("guest", MFD_ALLOW_SEALING), MAP_SHARED, true);
	m.slot.host_address += PAGES * PAGE;
	shared_map(&m.shared, &m.layout, m.pidfd, getpid());
	assert_int_equal(m.shared.n, 0);
	end();
}
