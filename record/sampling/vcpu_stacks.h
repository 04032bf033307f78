/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu_stacks.h - the stacks of all vCPUs that a round reads: what of their memory a pause copies, and their walks in
 * the copies.
 */
#ifndef RECORD_SAMPLING_VCPU_STACKS_H
#define RECORD_SAMPLING_VCPU_STACKS_H

#include "guest/capture.h"
#include "record/stack/stack.h"

/* How long a vCPU has slept, and how long it must have for a round to take it for asleep still. */
struct sleeper {
	uint32_t rounds, patience;
	uint64_t cpu_ns; /* used by the last round */
	bool online;
};

/* All zero to begin with. The arrays have nsamples entries, one by sample, where nothing else is said. */
struct vcpu_stacks {
	struct stack_choice choice; /* less than asked for if many vCPUs would not fit into a block */
	struct vcpu_stop *stops;    /* every vCPU of the guest */
	struct upf_sample *samples; /* of the sampled vCPUs */
	size_t nsamples;
	uint64_t *frames;      /* nsamples * max_frames, pointed into by the samples */
	uint64_t *words;       /* nsamples * stack_words(), likewise */
	uint64_t *last_cpu_ns; /* CPU time at the last round, whole ticks */
	struct sleeper *sleepers;
	uint64_t asleep[UPF_VCPUS_MAX / 64]; /* vCPUs that the round does not read */
	struct footing *footings;
	struct returns *returns;        /* NULL: frame pointers are not judged */
	struct register_set *registers; /* NULL: they are not asked for */
	struct capture **captures;      /* what a pause copies of the guest's memory */
	struct capture_batch *batch;    /* copies them all by one call; NULL: memory is mapped */
};

/* This round leaves the vCPU of sample @i out. */
static inline bool vcpu_stacks_leave_out(const struct vcpu_stacks *all, size_t i)
{
	return vcpu_is_in(all->asleep, all->samples[i].vcpu);
}

/*
 * Makes room for the samples of those of @vcpus vCPUs that are @wanted (a bit each; NULL: all). 0 or a negative errno;
 * ENODEV, E2BIG: see target_open().
 */
int vcpu_stacks_open(struct vcpu_stacks *all, uint32_t vcpus, const uint64_t *wanted,
                     const struct stack_choice *choice);
/* Then for the copies of memory, which are of @pages. 0 or -ENOMEM. */
int vcpu_stacks_capture(struct vcpu_stacks *all, struct pages *pages);
void vcpu_stacks_close(struct vcpu_stacks *all);

/*
 * Before the pause: lays out what vcpu_stacks_copy() is to copy. Where memory is not mapped, one call copies the lines
 * of all vCPUs.
 */
void vcpu_stacks_lay_out(struct vcpu_stacks *all);
/* Inside the pause. False: memory has moved. */
bool vcpu_stacks_copy(struct vcpu_stacks *all);
/*
 * After collect(): reads every vCPU's stack from the copies; @live: from the mapped pages themselves. False: memory was
 * missing, and is noted.
 */
bool vcpu_stacks_walk(struct vcpu_stacks *all, bool live);
/* With auto, after each walk: false if frame pointers have failed, and a stack must be read once more to be copied. */
bool vcpu_stacks_judge(struct vcpu_stacks *all);
/* Drops words of sample @i's window that cannot be return addresses. */
void vcpu_stacks_filter(struct vcpu_stacks *all, size_t i);
/* After a round: lines that no walk has read for long leave the lists, those that were missing come on them. */
void vcpu_stacks_renew_lists(struct vcpu_stacks *all);
/*
 * Follows the stacks from the registers last read while the guest runs, only to learn which memory they need, and maps
 * it: what is read may be torn and is thrown away.
 */
void vcpu_stacks_map(struct vcpu_stacks *all);

#endif
