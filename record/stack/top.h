/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top.h - the memory at the top of a stack: the few words in which the report finds callers that a walk by frame
 * pointers misses, or a copy of the stack for unwinding by tables; with all registers, also the code that is about to
 * be executed. All but top_filter() make no call and allocate nothing, so they may run while the guest is paused.
 */
#ifndef RECORD_STACK_TOP_H
#define RECORD_STACK_TOP_H

#include <stdint.h>

#include "common/registers.h"
#include "format/upf.h"
#include "guest/space.h"

/*
 * Copies the words from sp, rounded down to a word, up to the frame pointer if that is above it, at most @max. Returns
 * how many; fewer if a page is missing. *cold is set if that is a page that we have not mapped yet.
 */
uint32_t top_window(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, bool *cold);

/*
 * Adds to a window of @n words, which ends at the frame pointer, what x86's interrupts have pushed above it, within
 * @max, and what is up to the frame of what they have interrupted: frame pointers do not lead there. Returns how
 * many there are then. Memory that is missing is noted for the next time.
 */
uint32_t top_interrupts(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t n, uint32_t max);

/*
 * Sets the guest's words, @size bytes each, to 0 that are neither the saved frame pointer nor, being far from all
 * frames, a return address of this stack: such words change all the time and are of no use. To be called after the
 * guest was resumed.
 */
void top_filter(uint64_t *words, uint32_t n, const uint64_t *frames, uint32_t depth, uint64_t fp, unsigned size);

/*
 * Copies the words from sp, rounded down to a word, up to the first page that is missing, at most @max: *n of them.
 * Returns why it ended there; UPF_END_DEPTH: at @max.
 */
enum upf_end top_copy(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, uint32_t *n);

/*
 * Reads the code around @ip into @set: about as much before it as behind it, less where there is no page. Makes no
 * call. False: memory is missing that was noted for the next time.
 */
bool top_read_code(struct space *space, uint64_t ip, struct register_set *set);

#endif
