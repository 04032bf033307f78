/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu_stacks.h - the stacks of all vCPUs that a round reads: what of their memory a pause copies, and their walks in
 * the copies.
 */
#ifndef RECORD_SAMPLING_VCPU_STACKS_H
#define RECORD_SAMPLING_VCPU_STACKS_H

#include "record/sampling/target.h"

/*
 * Before the pause: lays out what vcpu_stacks_copy() is to copy. Where memory is not mapped, one call copies the lines
 * of all vCPUs.
 */
void vcpu_stacks_lay_out(struct target *t);
/* Inside the pause. False: memory has moved. */
bool vcpu_stacks_copy(struct target *t);
/*
 * After collect(): reads every vCPU's stack from the copies; @live: from the mapped pages themselves. False: memory was
 * missing, and is noted.
 */
bool vcpu_stacks_walk(struct target *t, bool live);
/* With auto, after each walk: false if frame pointers have failed, and a stack must be read once more to be copied. */
bool vcpu_stacks_judge(struct target *t);
/* Drops words of sample @i's window that cannot be return addresses. */
void vcpu_stacks_filter(struct target *t, size_t i);
/* After a round: lines that no walk has read for long leave the lists, those that were missing come on them. */
void vcpu_stacks_renew_lists(struct target *t);
/*
 * Follows the stacks from the registers last read while the guest runs, only to learn which memory they need, and maps
 * it: what is read may be torn and is thrown away.
 */
void vcpu_stacks_map(struct target *t);

#endif
