/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_chain.h - the true chain of callers of a sample that a decoder has just given out. */
#ifndef REPORT_UNWIND_SAMPLE_CHAIN_H
#define REPORT_UNWIND_SAMPLE_CHAIN_H

#include "report/unwind/unwind.h"

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
