/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image.h - what the report must know of the image that a guest runs: its entry and its build-id, once a trace, and
 * again when the guest was started anew: after a reset, a kexec or a reboot its kernel may be another one, or
 * elsewhere.
 */
#ifndef RECORD_SAMPLING_IMAGE_H
#define RECORD_SAMPLING_IMAGE_H

#include "record/output/record_stream.h"
#include "record/sampling/vcpu_stacks.h"
#include "record/stack/build.h"

/* Zero to begin with. */
struct image {
	bool entry_told, build_told; /* the trace has it */
	uint64_t entry;              /* what it has; 0: none, which goes without saying until there was one */
	bool had_entry;              /* there was one, of this boot or of one before */
	uint64_t place;              /* entry_place() when it was last looked for */
	bool entry_due;              /* to be looked for in the next registers that come */
	unsigned entry_looks;        /* in this second, beside that */
	struct build build;          /* that the guest runs, as far as it was found in its memory */
	unsigned doubted;      /* the entry has changed since, so many seconds ago: it is to be verified. 0: not */
	unsigned restarts;     /* of its search, lately; in RESTART_TICKS */
	bool wanted;           /* its search waits for registers, */
	bool more;             /* or is under way, */
	struct vcpu_regs regs; /* by these, which it goes on with */
	unsigned looks;        /* how often it was begun, or tried to */
};

/* Once a second: all is to be looked at again. @again: and told, whether it has changed or not. */
void image_tick(struct image *m, bool again);
/* Begins to search for the build-id in the memory of @pages, for about @ns, unless it is known. */
void image_search(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns);
/*
 * Goes on with a search, if there is one: by the registers of the last round, or those that sample_warm() has read. No
 * vCPU may have any: of KVM's, those that wait for a CPU have none.
 */
void image_go_on(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns);

/*
 * Record what has changed, or is not told yet. The entry is looked for where registers say that it has moved, or when
 * it is due, once, in the next registers that come.
 */
void image_tell_entry(struct image *m, struct pages *pages, const struct vcpu_stacks *all,
                      struct record_stream *records, uint32_t domain, uint64_t time_ns);
void image_tell_build(struct image *m, struct record_stream *records, uint32_t domain, uint64_t time_ns);

#endif
