/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches.h - how many independent samples a profile is as good as.
 *
 * Samples that follow each other, and those of one round, are alike: a guest stays in one function for a while, and its
 * vCPUs work on the same thing. Their shares are as noisy as those of fewer independent samples. How many, the trace
 * tells: its batches of time differ by more than chance explains. Batches that follow each other may be alike as well;
 * the variogram tells how far. What lasts for more than a sixteenth of the recording counts as a phase of the guest's
 * work, which comes again in another run, and not as noise.
 */
#ifndef REPORT_FOLD_BATCHES_H
#define REPORT_FOLD_BATCHES_H

#include "report/fold/fold.h"

/*
 * Sets @profile's effective samples, from its slots of time if it has any; it is that of @request's new run, to be
 * changed. 0 or -ENOMEM.
 */
int batches_measure(struct profile *profile, const struct fold_request *request);

#endif
