/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quality.h - notes on quality, with which profiles end: samples counted, left out and lost, stacks cut short,
 * addresses without a name, how long the guest was paused, and whether the trace is whole.
 */
#ifndef REPORT_VIEW_QUALITY_H
#define REPORT_VIEW_QUALITY_H

#include "report/fold/fold.h"
#include "report/output/text.h"
#include "report/profile/recording.h"

/*
 * A few lines about @run, and about @old if it is compared (else NULL), which have been loaded; @states are the run
 * states that count. @fold NULL: nothing was folded, names are not counted.
 */
void quality_print(const struct recording *run, const struct recording *old, unsigned states, const struct fold *fold,
                   const struct text_out *out);
/* Where no address of the profile has a name: one line that says what would give names, for above a table. */
void quality_names(const struct recording *run, unsigned states, const struct fold *fold, const struct text_out *out);
/* Says why no sample was counted, and what would show some. */
void quality_no_samples(const struct profile *p, unsigned states, const struct text_out *out);
/* What is wrong with a trace, in one line; "": nothing. For after loading. */
void quality_faults(const struct upf_health *h, uint64_t bad_blocks, char *text, size_t size);
/* Samples that the filters left out, those by run state apart. */
uint64_t quality_left_out(const struct profile *p, unsigned states);
/*
 * Did they leave none, nor of the run compared with (@old, or NULL)? A run state is a filter only if it was asked for:
 * otherwise a guest may have been idle.
 */
bool quality_filtered_all(const struct recording *run, const struct recording *old, const struct selection *selection);

/* Samples that count, but those of user mode and those without registers, by what became of their stacks. */
struct quality_stacks {
	uint64_t whole, truncated, broken;
};
struct quality_stacks quality_stacks(const struct counters *t, unsigned states);

#endif
