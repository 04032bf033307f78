/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trust.h - was the code compiled with frame pointers? Whether a walk by them has found the stack's frames, judged by
 * what it found. To be called after the guest was resumed.
 */
#ifndef RECORD_SAMPLING_TRUST_H
#define RECORD_SAMPLING_TRUST_H

#include "format/upf.h"
#include "record/sampling/returns.h"

/*
 * Can the frame pointer point into the stack, of which @size bytes count? If not, a walk need not begin: it would read
 * memory that is no stack.
 */
bool trust_frame_pointer(const struct vcpu_regs *regs, uint64_t size);

/* Has the walk come to what may be the stack's root, or to as many frames as are recorded? A single frame proves nothing. */
bool trust_end(enum upf_end end, uint32_t depth);

/* Is each frame's return address behind a call? The last one may have been put there by hand. */
bool trust_frames(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs, const uint64_t *frames,
                  uint32_t depth);

/*
 * Are there no return addresses in the @n @words? Between the stack pointer and the first frame they would be of
 * functions that have no frame.
 */
bool trust_gap(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs, const uint64_t *words,
               uint32_t n);

#endif
