/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - a function's code, followed from its beginning along every way that it can take, so that for each
 * instruction it is known what the function has on the stack there. In the code that compilers make, all ways to an
 * instruction agree.
 *
 * The instruction after a call is reached only if the callee returns. Where what comes over the call disagrees with a
 * jump to the same place, the jump is right: abort() and the like do not return. Where a jump through a register
 * leads is not known; for the pieces of a function that nothing else reaches, the stack is assumed to be as at those
 * jumps, if they agree.
 */
#ifndef REPORT_UNWIND_FOLLOW_H
#define REPORT_UNWIND_FOLLOW_H

#include "common/hash_array.h"
#include "report/elf/image.h"
#include "report/isa/flow.h"
#include "report/unwind/parts.h"

#define FOLLOWED_JUMPS_MAX 64 /* out of one function, remembered */

/* An instruction. */
struct followed_at {
	uint64_t address;
	struct frame_state before; /* the stack before it is executed */
	uint32_t from;             /* number of the instruction that led here */
	uint8_t arrival;           /* how it is reached, private */
	uint8_t size;
	bool disagreed; /* two ways led here with different stacks: @before is not known */
};

struct followed {
	const struct isa *isa; /* of its code */
	struct part parts[PARTS];
	HASH_ARRAY(struct followed_at, at, n, by_address); /* in order; only those that could be followed */
	uint64_t jumps[FOLLOWED_JUMPS_MAX];                /* where tail calls lead */
	size_t njumps;
	bool jumps_anywhere; /* a tail call through a register, or more tail calls than fit */
	bool returns;        /* to a caller, or in another way than from an interrupt */
	bool resumes;        /* from an interrupt: the stack pointer is CFA - @resumed_below there */
	bool resumes_unlike; /* with several stacks */
	int32_t resumed_below;
};

/*
 * Follows the function whose parts are given in *f, of the @image, by the @reader. 0 or -ENOMEM; hash_array_free() f->by_address. What is
 * too large is followed in part.
 */
int follow(struct followed *f, const struct image *image, struct flow_reader *reader);
/* The instruction at @address; NULL: it was not reached, or none begins there. */
const struct followed_at *followed_at(const struct followed *f, uint64_t address);
/* The instruction that ends at @address; NULL as above. */
const struct followed_at *followed_before(const struct followed *f, uint64_t address);

#endif
