/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/memory/layout.h"

#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define PAGE_MASK 4095u

struct reading {
	struct layout *l;
	unsigned pid;
};

static int add_slot(struct layout *l, const struct kvm_record *r)
{
	struct memory_slot slot = {r->slot.address, r->slot.size, r->slot.host_address};

	if (r->slot.is_busy)
		return -EINPROGRESS;
	/* Two descriptors of one machine give each slot twice. */
	for (size_t i = 0; i < l->nslots; i++)
		if (l->slots[i].address == slot.address)
			return 0;
	if (slot.size == 0) /* a device's registers */
		return 0;
	return array_add(l->slots, l->room, l->nslots, slot);
}

static int add_slot_record(void *ctx, const struct kvm_record *r)
{
	struct reading *reading = ctx;
	struct layout *l = reading->l;

	if (r->pid != reading->pid || (l->vm && r->vm != l->vm))
		return 0;
	l->vm = r->vm;
	if (r->type == KVM_RECORD_VM) {
		l->is_protected |= r->machine.flags & KVM_VM_PROTECTED;
		l->has_slots &= !(r->machine.flags & KVM_VM_NO_SLOTS);
	} else if (r->type == KVM_RECORD_VCPU && r->vcpu.number < MACHINE_VCPUS_MAX) {
		l->threads[r->vcpu.number] = (pid_t)r->vcpu.tid;
		l->vcpus[r->vcpu.number] = r->vcpu.address;
		/* As x86 and as ARM64 have it. */
		l->unstarted[r->vcpu.number] =
			r->vcpu.mp_state == KVM_MP_STATE_UNINITIALIZED || r->vcpu.mp_state == KVM_MP_STATE_STOPPED;
	} else if (r->type == KVM_RECORD_SLOT) {
		return add_slot(l, r);
	}
	return 0;
}

static int by_guest_address(const void *a, const void *b)
{
	return array_compare(((const struct memory_slot *)a)->address, ((const struct memory_slot *)b)->address);
}

int layout_read(struct layout *l, struct iterator *it, pid_t pid)
{
	struct layout next = {.has_slots = true};
	struct reading reading = {&next, (unsigned)pid};
	int rc = iterator_read(it, pid, add_slot_record, &reading);

	if (rc == 0 && !next.vm)
		rc = -ESRCH;
	if (rc != 0) {
		layout_free(&next);
		return rc;
	}
	array_sort(next.slots, next.nslots, sizeof(*next.slots), by_guest_address);
	layout_free(l);
	*l = next;
	return 0;
}

void layout_free(struct layout *l)
{
	free(l->slots);
	memset(l, 0, sizeof(*l));
}

void layout_take_slots(struct layout *l, struct layout *from)
{
	free(l->slots);
	l->slots = from->slots;
	l->nslots = from->nslots;
	l->room = from->room;
	from->slots = NULL;
	from->nslots = from->room = 0;
}

int layout_set_slots(struct layout *l, const struct memory_slot *slots, size_t n)
{
	struct layout next = {.slots = malloc(n * sizeof(*slots)), .nslots = n, .room = n};

	if (!next.slots)
		return -ENOMEM;
	memcpy(next.slots, slots, n * sizeof(*slots));
	layout_take_slots(l, &next);
	return 0;
}

uint64_t layout_host_address(const struct layout *l, uint64_t address)
{
	const struct memory_slot *s;
	size_t i;

	ARRAY_SEARCH(i, l->nslots, l->slots[i].address <= address);
	s = i > 0 ? &l->slots[i - 1] : NULL;
	return s && address - s->address < s->size ? s->host_address + ((address - s->address) & ~(uint64_t)PAGE_MASK)
	                                           : 0;
}

uint64_t layout_size(const struct layout *l)
{
	uint64_t size = 0;

	for (size_t i = 0; i < l->nslots; i++)
		size += l->slots[i].size;
	return size;
}

bool layout_same_slots(const struct layout *a, const struct layout *b)
{
	return a->nslots == b->nslots &&
	       (a->nslots == 0 || memcmp(a->slots, b->slots, a->nslots * sizeof(*a->slots)) == 0);
}
