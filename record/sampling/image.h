/* SPDX-License-Identifier: BSD-2-Clause */
/* image.h - what the report must know of the image that a guest runs, once a trace: its entry and its build-id. */
#ifndef RECORD_SAMPLING_IMAGE_H
#define RECORD_SAMPLING_IMAGE_H

#include "record/output/record_stream.h"
#include "record/sampling/vcpu_stacks.h"
#include "record/stack/build.h"

/* Zero to begin with. */
struct image {
	bool entry_told, build_told; /* the trace has it */
	bool entry_due;              /* to be looked for in the next registers that come */
	struct build build;          /* that the guest runs, as far as it was found in its memory */
	bool wanted;                 /* its search waits for registers, */
	bool more;                   /* or is under way, */
	struct vcpu_regs regs;       /* by these, which it goes on with */
	unsigned looks;              /* how often it was begun, or tried to */
};

/* Begins to search for the build-id in the memory of @pages, for about @ns, unless it is known. */
void image_search(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns);
/*
 * Goes on with a search, if there is one: by the registers of the last round, or those that sample_warm() has read. No
 * vCPU may have any: of KVM's, those that wait for a CPU have none.
 */
void image_go_on(struct image *m, struct pages *pages, const struct vcpu_stacks *all, uint64_t ns);

/*
 * Record what is known and not told yet. The entry is known as soon as the guest has an interrupt table; when it is
 * due, it is looked for once, in the next registers that come.
 */
void image_tell_entry(struct image *m, struct pages *pages, const struct vcpu_stacks *all,
                      struct record_stream *records, uint32_t domain, uint64_t time_ns);
void image_tell_build(struct image *m, struct record_stream *records, uint32_t domain, uint64_t time_ns);

#endif
