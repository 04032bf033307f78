/* SPDX-License-Identifier: BSD-2-Clause */
/* target.h - one domain being sampled: its guest, its mapped pages, and memory for its samples. */
#ifndef RECORD_SAMPLING_TARGET_H
#define RECORD_SAMPLING_TARGET_H

#include "format/upf.h"
#include "guest/arch.h"
#include "guest/hypervisor.h"
#include "guest/pages.h"
#include "record/sampling/image.h"
#include "record/sampling/throttle.h"
#include "record/sampling/vcpu_stacks.h"
#include "record/watchdog/watch.h"

/* What the last round has left for the next one. */
struct last_round {
	bool started;                    /* there was one */
	bool quiet;                      /* no vCPU was active: ask before pausing again */
	bool foreign;                    /* the guest was paused by somebody else when last looked at */
	unsigned looks;                  /* of a single look, none of which was kept */
	uint64_t total_cpu_ns;           /* of all vCPUs */
	uint64_t owned;                  /* pages of memory that the guest had when those were mapped that are, */
	uint64_t mapped_ns;              /* and when that was; 0: not yet */
	const struct guest_info *answer; /* what inquiry_make() was just told; NULL: it did not ask about this one */
};

/* How it ended, and comes back (follow.h). */
struct comeback {
	uint64_t seen_ns; /* CLOCK_MONOTONIC: it had not ended by then */
	bool awaited;     /* ended, and the user was told that it is waited for */
	/* It is back, but could not be recorded: when to try again, and after what wait; 0: at once. */
	uint64_t next_ns, wait_ns;
};

struct target {
	const struct hypervisor_ops *ops;
	struct guest *guest;
	struct pages *pages;
	struct guest_info info; /* as it was when sampling began */
	char name[64];          /* "" where there is none */
	enum arch_id arch;      /* of most of its code */

	struct watch *watch;    /* by which the watchdog watches its pauses; NULL: nobody does */
	uint64_t stop_began_ns; /* of a stop that is not a round's (struct stop_guard) */
	bool mark_spent;        /* the watchdog took over the last pause: clear the mark before the next one */

	struct stack_choice asked; /* what target_open() was asked for */
	struct vcpu_stacks stacks;
	struct {
		uint32_t slot, slots; /* the first one, and how many */
		uint32_t copy_words;
	} reserved; /* room in every block, by target_reserve() */

	struct last_round last;
	struct throttle throttle;
	uint64_t rounds;   /* that were kept */
	uint64_t until_ns; /* struct pause_ops, wait_until */
	struct image image;
	bool look; /* paused by somebody else, or shut down, it is sampled as it is; for a single round */
	bool held; /* paused since its creation, until the session lets it run */
	bool ended;
	struct comeback comeback;
};

/* Has this domain that name? Asks for it, and so may block. */
bool target_is_called(const struct hypervisor_ops *ops, struct hypervisor *x, uint32_t domid, const char *name);

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
/* Is it sampled without a stop? */
bool target_is_live(const struct target *t);
/* Its pauses are watched by @watch from now on, which must outlive the last of them. */
void target_watch(struct target *t, struct watch *watch);

/* In words for the user, why target_open(), target_reopen() or settle() failed with errno @error. */
void target_explain(const struct hypervisor_ops *ops, struct hypervisor *x, const struct guest_info *info, int error,
                    char *why, size_t size);

/* Adds to @room what blocks must have for the samples of @t, and gives these their slots. */
void target_reserve(struct target *t, struct queue_blocks *room);

/*
 * @t samples that domain from now on: no more vCPUs and no longer copies than target_reserve() made room for. 0, or a
 * negative errno and @t as it was.
 */
int target_reopen(struct target *t, struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted);

#endif
