/* SPDX-License-Identifier: BSD-2-Clause */
/* host_stacks.h - stacks of vCPUs' threads outside the guest, each made once (common/host_stack.h). */
#ifndef KVMIF_HOST_HOST_STACKS_H
#define KVMIF_HOST_HOST_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/host_stack.h"

struct host_stacks;

/*
 * Reads the kernel's symbols from a file such as /proc/kallsyms, which takes CAP_SYSLOG where addresses are hidden. NULL:
 * @why is one line.
 */
struct host_stacks *host_stacks_open(const char *kallsyms, char *why, size_t size);
void host_stacks_close(struct host_stacks *h); /* NULL is fine */

/* What was read of one thread. */
struct host_addresses {
	const unsigned long long *kernel; /* leaf first */
	uint32_t nkernel;
	pid_t monitor;
	uint64_t vmm_ip; /* in the monitor's code; 0: not asked for */
	const uint8_t *build_id;
	uint32_t build_id_size; /* 0: not known */
	uint64_t offset;        /* of vmm_ip, in that file */
};

/*
 * When HOST_NUMBERS_MAX stacks or functions are known, all new ones are one: "[too many host stacks]". NULL: nothing
 * was read, or no memory.
 */
const struct host_stack *host_stacks_find(struct host_stacks *h, const struct host_addresses *a);

#endif
