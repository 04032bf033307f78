/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top.h - the memory at the top of a stack: the few words from which the report puts back callers that have no frame
 * yet, or a copy of the stack for unwinding by tables. top_window() and top_copy() make no call and allocate nothing:
 * they run while the guest is paused.
 */
#ifndef RECORD_SAMPLING_TOP_H
#define RECORD_SAMPLING_TOP_H

#include <stdint.h>

#include "format/upf.h"
#include "guest/space.h"

/*
 * The words from sp, rounded down to a word, up to the frame pointer's if that lies above, at most @max. How many;
 * fewer where a page is missing. *cold is set if that page is only not mapped by us yet.
 */
uint32_t top_window(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, bool *cold);

/*
 * Sets to 0 what can be no return address of this stack, as it lies far from all its frames, and is not the saved
 * frame pointer: such words change all the time and tell nothing. After the guest was resumed.
 */
void top_filter(uint64_t *words, uint32_t n, const uint64_t *frames, uint32_t depth, uint64_t fp);

/* The words from sp, rounded down to a word, up to the first page missing, at most @max: *n of them. Why it ended
 * there: UPF_END_DEPTH at @max. */
enum upf_end top_copy(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, uint32_t *n);

#endif
