/* SPDX-License-Identifier: BSD-2-Clause */
/* target.h - one domain being sampled: its guest, its mapped pages, and memory for its samples. */
#ifndef RECORD_SAMPLING_TARGET_H
#define RECORD_SAMPLING_TARGET_H

#include "format/upf.h"
#include "guest/arch.h"
#include "guest/capture.h"
#include "guest/hypervisor.h"
#include "guest/pages.h"
#include "record/sampling/throttle.h"
#include "record/stack/build.h"
#include "record/stack/stack.h"
#include "record/watchdog/watch.h"

/* What a block must have room for. */
struct block_room {
	uint32_t slots, copy_words; /* copies of the stacks: of how many vCPUs, words of each */
};

/* How long a vCPU has slept, and how long it must have for a round to take it for asleep still. */
struct sleeper {
	uint32_t rounds, patience;
	uint64_t cpu_ns; /* used by the last round */
	bool online;
};

struct target {
	const struct hypervisor_ops *ops;
	struct stack_choice asked; /* what target_open() was asked for */
	struct guest *guest;
	struct watch *watch;    /* by which the watchdog watches its pauses; NULL: nobody does */
	uint64_t stop_began_ns; /* of a stop that is not a round's (struct stop_guard) */
	bool mark_spent;        /* the watchdog took over the last pause: clear the mark before the next one */
	enum arch_id arch;      /* of most of its code */
	struct pages *pages;
	uint64_t owned;              /* pages of memory that the guest had when these were mapped, */
	uint64_t mapped_ns;          /* and when that was; 0: not yet */
	struct capture **captures;   /* by sample: what a pause copies of its memory */
	struct capture_batch *batch; /* copies them all by one call; NULL: memory is mapped */
	struct guest_info info;      /* as it was when sampling began */
	char name[64];               /* "" where there is none */

	struct stack_choice stack;  /* less than asked for if many vCPUs would not fit into a block */
	struct vcpu_stop *stops;    /* every vCPU: info.vcpus of them */
	struct upf_sample *samples; /* of the sampled vCPUs */
	size_t nsamples;
	uint64_t *frames;                    /* nsamples * max_frames, pointed into by the samples */
	uint64_t *words;                     /* nsamples * stack_words(), likewise */
	uint64_t *last_cpu_ns;               /* by sample: CPU time at the last round, whole ticks */
	uint64_t total_cpu_ns;               /* of all vCPUs at the last round */
	struct sleeper *sleepers;            /* by sample */
	struct footing *footings;            /* by sample */
	struct returns *returns;             /* NULL: frame pointers are not judged */
	uint64_t asleep[UPF_VCPUS_MAX / 64]; /* vCPUs that the round does not read */

	struct register_set *registers; /* by sample; NULL: they are not asked for */

	struct throttle throttle;
	struct {
		uint32_t slot, slots; /* the first one, and how many */
		uint32_t copy_words;
	} reserved; /* room in every block, by target_reserve() */

	const struct guest_info *answer; /* what inquiry_make() was just told; NULL: it did not ask about this one */
	uint64_t rounds;                 /* that were kept */
	bool started;                    /* a round was taken */
	bool entry_told;                 /* the trace has the kernel's entry */
	struct build build;              /* that it runs, as far as it was found in its memory */
	bool build_told;                 /* the trace has it */
	bool build_wanted;               /* its search waits for registers */
	bool build_more;                 /* ... is under way */
	struct vcpu_regs build_regs;     /* ... by these */
	unsigned build_looks;            /* how often it was begun, or tried to */
	unsigned looks;                  /* so far, none of which was kept */
	bool look;    /* paused by somebody else, or shut down, it is sampled as it is; for a single round */
	bool quiet;   /* no vCPU was active at the last round: ask before pausing again */
	bool foreign; /* paused by somebody else when last looked at */
	bool held;    /* paused since its creation, until the session lets it run */
	bool ended;
	bool awaited;     /* ended, and the user was told that it is waited for */
	uint64_t seen_ns; /* CLOCK_MONOTONIC: it had not ended by then */
	struct {
		uint64_t next_ns, wait_ns;
	} retry; /* it is back, but could not be recorded: when to try again, and after what wait; 0: at once */
};

/* Finds the domain that @text names, by number or name. 0; -ESRCH: none; -EINVAL: more than one has this name. */
int target_find(const struct hypervisor_ops *ops, struct hypervisor *x, const char *text, struct guest_info *info);

/*
 * Prepares a domain for sampling the vCPUs in @wanted (a bit each; NULL: all). Asks for its name, and so may block.
 * NULL: errno; ENODEV: it has none of these vCPUs; E2BIG: they are too many for copies of their stacks, or for all
 * registers.
 */
struct target *target_open(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info,
                           const uint64_t *wanted, const struct stack_choice *stack);
void target_close(struct target *t);
/* Releases what is mapped of the domain, as it has ended or may end: a mapping would keep its memory. */
void target_let_go(struct target *t);
/* Its pauses are watched by @watch from now on, which must outlive the last of them. */
void target_watch(struct target *t, struct watch *watch);

/* In words for the user, why target_open(), target_reopen() or settle() failed with errno @error. */
void target_explain(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info, int error,
                    char *why, size_t size);

/* Adds to @room what blocks must have for the samples of @t, and gives these their slots. */
void target_reserve(struct target *t, struct block_room *room);

/*
 * @t samples that domain from now on: no more vCPUs and no longer copies than target_reserve() made room for. 0, or a
 * negative errno and @t as it was.
 */
int target_reopen(struct target *t, struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted);

#endif
