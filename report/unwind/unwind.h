/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - a sample's true chain of callers.
 *
 * Frames found by frame pointers lack the caller of whatever has no frame yet, or none at all: it is put back from the
 * words at the stack's top (repair.c). Copies of the stack are unwound frame by frame (copy.c). Both go by CFI
 * rows (cfi.h).
 */
#ifndef REPORT_UNWIND_UNWIND_H
#define REPORT_UNWIND_UNWIND_H

#include "format/upf.h"
#include "report/unwind/cfi.h"

/* Why a chain ends, beside enum upf_end. */
enum chain_end {
	CHAIN_END_COPY = 16,    /* the copy of the stack ends before the stack does */
	CHAIN_END_UNKNOWN = 17, /* no unwind table, nor code that tells, for the last address */
	CHAIN_END_DAMAGED = 18, /* the unwind table is damaged there */
	CHAIN_END_UNSURE = 19,  /* what should be the return address is none */
	CHAIN_END_USER = 20,    /* the vCPU was in user mode, and of that program no tables are given */
};

/* What is known of a frame beside its address. */
#define FRAME_RESTORED 1u /* put back: not found by frame pointers */
#define FRAME_EXACT 2u    /* the address is that of an instruction about to be executed, not behind a call */

struct chain {
	uint32_t n;
	uint8_t end;   /* enum upf_end or chain_end */
	bool restored; /* a caller was put back */
	bool doubtful; /* one should have been, but what is on the stack is no return address for sure */
	struct {
		uint64_t address;
		uint8_t flags;
	} frame[UPF_DEPTH_MAX + 1]; /* leaf first */
};

/* The text of either kind of end; never NULL. */
const char *chain_end_text(unsigned end);

/*
 * The chain of a sample that came with a window, whose frames, leaf first, the recorder's walk has found. *chain has
 * n == 0 if it is as they are.
 */
void repair_chain(struct cfi *cfi, const struct upf_record *sample, const uint64_t *frames, uint32_t depth, bool pv,
                  struct chain *chain);
/* The chain of a sample that came with a copy of the stack and was executing @ip. */
void unwind_copy(struct cfi *cfi, const struct upf_record *sample, uint64_t ip, bool pv, struct chain *chain);

#endif
