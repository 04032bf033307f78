/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - follows a stack by its frame pointers, on any hypervisor and architecture. Makes no call and allocates
 * nothing, so it may run while the guest is paused. The number of steps is bounded whatever the guest's memory holds.
 */
#ifndef RECORD_STACK_WALK_H
#define RECORD_STACK_WALK_H

#include <stdint.h>

#include "format/upf.h"
#include "guest/space.h"

/*
 * Fills @frames, leaf first, with at most @max addresses: the instruction pointer, then return addresses. *depth is
 * how many; *above is the address behind the last frame. Returns why the walk ended there. Costs two loads a frame
 * besides page table walks.
 */
enum upf_end walk_frames(struct space *space, const struct vcpu_regs *regs, uint64_t *frames, uint32_t max,
                         uint32_t *depth, uint64_t *above);

/* Why a walk ended at which space_read() failed with @error. */
enum upf_end walk_end(int error);

#endif
