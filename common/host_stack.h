/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_stack.h - what the host did while a vCPU was not in the guest: the stack of the vCPU's own thread, in the host's
 * kernel and in the virtual machine monitor. The backend makes each function and each stack once, and numbers them from
 * 0. They live as long as the recording.
 */
#ifndef COMMON_HOST_STACK_H
#define COMMON_HOST_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_DEPTH_MAX 64u          /* frames of a stack */
#define HOST_NUMBERS_MAX (1u << 16) /* functions; stacks */
#define HOST_TEXT_MAX 255u          /* bytes of a name; longer ones are cut */
#define HOST_BUILD_ID_MAX 64u

struct host_function {
	uint32_t id;
	bool is_vmm;      /* not the kernel's */
	const char *name; /* ""; not known to the recorder */
	const char *file; /* "kernel", a kernel module's name; the monitor's file, by its path. "": not known */
	/* If it is not the kernel's and has no name: where in the file it is. */
	uint8_t build_id[HOST_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: not known, nor is the offset */
	uint64_t offset;       /* bytes from the beginning of the file */
};

struct host_stack {
	uint32_t id;
	uint32_t depth;
	/* Leaf first; there may be memory for @depth of them only. */
	const struct host_function *frames[HOST_DEPTH_MAX];
};

#endif
