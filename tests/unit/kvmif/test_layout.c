/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a guest's memory is, from records as the kernel's program writes them. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "kvmif/memory/layout.h"

#define PID 7u
#define VM 0xffff888000000000ull

/* In the kernel's place. */
static const struct kvm_record *records;
static size_t nrecords;

struct iterator *iterator_open(char *why, size_t size)
{
	(void)why, (void)size;
	return NULL;
}

void iterator_close(struct iterator *it)
{
	(void)it;
}

int iterator_read(struct iterator *it, pid_t pid, int (*each)(void *ctx, const struct kvm_record *record), void *ctx)
{
	int rc = 0;

	(void)it, (void)pid;
	for (size_t i = 0; rc == 0 && i < nrecords; i++)
		rc = each(ctx, &records[i]);
	return rc;
}

static struct kvm_record slot(uint64_t vm, uint64_t address, uint64_t size, uint64_t host)
{
	return (struct kvm_record){.type = KVM_RECORD_SLOT, .pid = PID, .vm = vm, .slot = {address, size, host, 0}};
}

static int read_records(struct layout *l, const struct kvm_record *r, size_t n)
{
	records = r;
	nrecords = n;
	return layout_read(l, NULL, PID);
}

TEST(slots_are_found)
{
	/* In any order; some twice, as of two descriptors; and of another machine. */
	const struct kvm_record r[] = {
		{.type = KVM_RECORD_VM, .pid = PID, .vm = VM},
		slot(VM, 0x100000000, 0x10000, 0x7f0000200000),
		slot(VM, 0, 0xa0000, 0x7f0000000000),
		slot(VM, 0x100000, 0xf00000, 0x7f0000100000),
		slot(VM, 0, 0xa0000, 0x7f0000000000),
		slot(VM + 1, 0x2000000, 0x1000, 0x1000),
		{.type = KVM_RECORD_VCPU, .pid = PID, .vm = VM, .vcpu = {1, 12, 0, VM + 1}},
		{.type = KVM_RECORD_VCPU, .pid = PID, .vm = VM, .vcpu = {2, 14, 1}},
		{.type = KVM_RECORD_VCPU, .pid = PID + 1, .vm = VM, .vcpu = {0, 13, 0}},
	};
	struct layout l = {0};

	assert_int_equal(read_records(&l, r, sizeof(r) / sizeof(*r)), 0);
	assert_int_equal(l.nslots, 3);
	assert_int_equal(l.vcpus[1], VM + 1);
	assert_int_equal(layout_size(&l), 0xa0000 + 0xf00000 + 0x10000);
	assert_int_equal(layout_host_address(&l, 0), 0x7f0000000000);
	assert_int_equal(layout_host_address(&l, 0x1fff), 0x7f0000001000);
	assert_int_equal(layout_host_address(&l, 0x9ffff), 0x7f000009f000);
	assert_int_equal(layout_host_address(&l, 0xa0000), 0);
	assert_int_equal(layout_host_address(&l, 0x100000), 0x7f0000100000);
	assert_int_equal(layout_host_address(&l, 0xffffff), 0x7f0000fff000);
	assert_int_equal(layout_host_address(&l, 0x1000000), 0);
	assert_int_equal(layout_host_address(&l, 0x2000000), 0);
	assert_int_equal(layout_host_address(&l, 0x100000000), 0x7f0000200000);
	assert_int_equal(layout_host_address(&l, 0x100010000), 0);
	assert_int_equal(layout_host_address(&l, UINT64_MAX), 0);
	assert_int_equal(l.threads[0], 0);
	assert_int_equal(l.threads[1], 12);
	assert_int_equal(l.threads[2], 14);
	assert_true(!l.unstarted[1] && l.unstarted[2]);
	assert_true(l.has_slots && !l.is_protected);
	layout_free(&l);
}

TEST(slots_of_a_device_are_left_out)
{
	const struct kvm_record r[] = {slot(VM, 0, 0x1000, 0x10000), slot(VM, 0x1000, 0, 0x20000)};
	struct layout l = {0};

	assert_int_equal(read_records(&l, r, 2), 0);
	assert_int_equal(l.nslots, 1);
	assert_int_equal(layout_host_address(&l, 0x1000), 0);
	layout_free(&l);
}

TEST(slots_that_change_are_to_be_read_again)
{
	struct kvm_record r[] = {slot(VM, 0, 0x1000, 0x10000), slot(VM, 0, 0x1000, 0x10000)};
	struct layout l = {0};

	assert_int_equal(read_records(&l, r, 1), 0);
	r[1].slot.is_busy = 1;
	assert_int_equal(read_records(&l, r, 2), -EINPROGRESS);
	assert_int_equal(l.nslots, 1);
	layout_free(&l);
}

TEST(moved_slots_are_seen)
{
	const struct kvm_record r[] = {slot(VM, 0, 0x1000, 0x10000), slot(VM, 0x1000, 0x1000, 0x20000)};
	const struct kvm_record moved[] = {slot(VM, 0x1000, 0x1000, 0x30000), slot(VM, 0, 0x1000, 0x10000)};
	struct layout a = {0}, b = {0};

	assert_int_equal(read_records(&a, r, 2), 0);
	assert_int_equal(read_records(&b, r, 2), 0);
	assert_true(layout_same_slots(&a, &b));
	assert_int_equal(read_records(&b, moved, 2), 0);
	assert_false(layout_same_slots(&a, &b));
	assert_int_equal(read_records(&b, r, 1), 0);
	assert_false(layout_same_slots(&a, &b));
	layout_free(&a);
	layout_free(&b);
}

TEST(what_forbids_reading_is_seen)
{
	const struct kvm_record r[] = {
		{.type = KVM_RECORD_VM, .pid = PID, .vm = VM, .machine = {KVM_VM_NO_SLOTS}},
		{.type = KVM_RECORD_VM, .pid = PID, .vm = VM, .machine = {KVM_VM_PROTECTED}},
	};
	struct layout l = {0};

	assert_int_equal(read_records(&l, r, 1), 0);
	assert_true(!l.has_slots && !l.is_protected);
	assert_int_equal(read_records(&l, r, 2), 0);
	assert_true(!l.has_slots && l.is_protected);
	/* A machine that is gone leaves things as they were. */
	assert_int_equal(read_records(&l, r, 0), -ESRCH);
	assert_true(l.is_protected);
	layout_free(&l);
}
