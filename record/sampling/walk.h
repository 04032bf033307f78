/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - a stack by its frame pointers. Knows neither Xen nor an architecture; makes no call and allocates nothing,
 * so it may run while the guest is paused; bounded in steps whatever the guest's memory holds.
 */
#ifndef RECORD_SAMPLING_WALK_H
#define RECORD_SAMPLING_WALK_H

#include <stdint.h>

#include "format/upf.h"
#include "guest/space.h"

/*
 * Fills @frames, leaf first, with at most @max addresses: the instruction pointer, then return addresses. *depth is
 * how many; the result says why it ended there. Costs two loads a frame besides page table walks.
 */
enum upf_end walk_frames(struct space *space, const struct vcpu_regs *regs, uint64_t *frames, uint32_t max,
                         uint32_t *depth);

/* The end of a walk that space_read() refused with @error. */
enum upf_end walk_end(int error);

#endif
