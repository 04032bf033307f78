/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.h - where a virtual machine's memory is in its monitor's address space, and which thread runs which vCPU.
 * Both change while it runs: memory and vCPUs are plugged in and out.
 */
#ifndef KVMIF_MEMORY_LAYOUT_H
#define KVMIF_MEMORY_LAYOUT_H

#include <stdbool.h>

#include "kvmif/bpf/iterator.h"
#include "kvmif/process/process.h"

/* Of the guest's memory, in bytes. */
struct memory_slot {
	uint64_t address, size, host_address;
};

struct layout {
	struct memory_slot *slots; /* by ascending address */
	size_t nslots, room;
	pid_t threads[MACHINE_VCPUS_MAX];  /* by vCPU; 0: not known, or none */
	uint64_t vcpus[MACHINE_VCPUS_MAX]; /* their structures in the kernel, for live.h; 0: not known */
	bool unstarted[MACHINE_VCPUS_MAX]; /* by vCPU: it waits for another one to start it */
	bool is_protected;                 /* its registers are not for the host */
	bool has_slots;                    /* false: this kernel does not tell */
	uint64_t vm;                       /* the one that is looked at */
};

/*
 * As the kernel tells it: 0 or a negative errno, and @l as it was. -EINPROGRESS: the monitor was changing its memory.
 * layout_free() releases it; all zero to begin with.
 */
int layout_read(struct layout *l, struct iterator *it, pid_t pid);
void layout_free(struct layout *l);

/* The address in the monitor of the page at @address; 0: the guest has no memory there. */
uint64_t layout_host_address(const struct layout *l, uint64_t address);
uint64_t layout_size(const struct layout *l); /* of all memory, in bytes */
/* Its slots are a copy of the @n @slots, by ascending address. 0 or -ENOMEM. */
int layout_set_slots(struct layout *l, const struct memory_slot *slots, size_t n);
/* The slots of @from become those of @l. */
void layout_take_slots(struct layout *l, struct layout *from);
bool layout_same_slots(const struct layout *a, const struct layout *b);

#endif
