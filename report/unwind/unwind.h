/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - a sample's true chain of callers.
 *
 * A walk by frame pointers misses the caller of a function that has no frame, or none yet. It is restored from the
 * words at the top of the stack (repair.c). Copies of the stack are unwound frame by frame (copy.c). Both go by CFI
 * rows (cfi.h).
 */
#ifndef REPORT_UNWIND_UNWIND_H
#define REPORT_UNWIND_UNWIND_H

#include "format/upf.h"
#include "report/unwind/cfi.h"

/* Why a chain ends, beside enum upf_end. */
enum chain_end {
	CHAIN_END_COPY = 16,    /* the copy of the stack ends before the stack does */
	CHAIN_END_UNKNOWN = 17, /* for the last address there is no unwind table, and its code does not tell */
	CHAIN_END_DAMAGED = 18, /* the unwind table is damaged there */
	CHAIN_END_UNSURE = 19,  /* the word that should be the return address is none */
	CHAIN_END_USER = 20,    /* the vCPU was in user mode, and that program's tables were not given */
};

/* What is known of a frame beside its address. */
#define FRAME_RESTORED 1u /* restored: frame pointers did not lead to it */
#define FRAME_EXACT 2u    /* the address is of the next instruction, not of a return from a call */

struct chain {
	uint32_t n;
	uint8_t end;    /* enum upf_end or chain_end */
	bool restored;  /* a caller was restored */
	bool uncertain; /* one is missing, but the word on the stack is not certain to be a return address */
	struct {
		uint64_t address;
		uint8_t flags;
	} frame[UPF_DEPTH_MAX + 1]; /* leaf first */
};

/* The text of either kind of end; never NULL. */
const char *chain_end_text(unsigned end);

/*
 * The chain of a sample recorded with a window, from the @frames, leaf first, that the recorder's walk found.
 * chain->restored is false if nothing changes.
 */
void repair_chain(struct cfi *cfi, const struct upf_record *sample, const uint64_t *frames, uint32_t depth,
                  struct chain *chain);
/* The chain of a sample recorded with a copy of the stack, at the instruction @ip. */
void unwind_copy(struct cfi *cfi, const struct upf_record *sample, uint64_t ip, struct chain *chain);

/* May the sample's true stack differ from the recorded one? Only if its instruction set is known. */
bool chain_may_differ(const struct upf_session *session, const struct upf_record *rec);
/*
 * Why the frames end that the recorder found. A sample with a copy of the stack may have frames, too: those that frame
 * pointers led to, up to the root, where the recorder had no reason to doubt them.
 */
uint8_t chain_end_of_frames(const struct upf_session *session, const struct upf_decoder *decoder,
                            const struct upf_record *rec);
/* *chain has n == 0 if the stack is as recorded. @decoder has just given out @rec. */
void chain_of_sample(struct cfi *cfi, const struct upf_session *session, const struct upf_decoder *decoder,
                     const struct upf_record *rec, struct chain *chain);

#endif
