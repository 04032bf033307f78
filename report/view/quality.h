/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quality.h - what a result rests on: samples counted, left out and lost, stacks cut short, addresses without a name,
 * how long the guest stood still, and whether the trace is whole. What profiles end with.
 */
#ifndef REPORT_VIEW_QUALITY_H
#define REPORT_VIEW_QUALITY_H

#include "report/view/view.h"

/*
 * A few lines, nothing with --quiet, or where filters leave nothing that could rest on them. @fold NULL: this view
 * folds nothing, names are not counted.
 */
void quality_print(const struct report *r, const struct fold *fold, FILE *out);
/* All is well with a trace: whole, nothing damaged. For after loading. */
bool quality_sound(const struct upf_health *h, const struct counters *t);
/* What is wrong with it, in one line. */
void quality_faults(const struct upf_health *h, const struct counters *t, char *text, size_t size);
/* Samples that the filters left out, those by run state apart. */
uint64_t quality_left_out(const struct report *r);
/* Did they leave none, nor of the run compared with? */
bool quality_filtered_all(const struct report *r);
/* Length of the recording, ns. */
uint64_t quality_duration(const struct report *r);

/* Samples that count, but those of user mode, by what became of their stacks. */
struct quality_stacks {
	uint64_t whole, truncated, broken;
};
void quality_stacks(const struct report *r, struct quality_stacks *stacks);

#endif
