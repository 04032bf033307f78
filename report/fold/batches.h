/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batches.h - how many independent samples a profile is as good as.
 *
 * Samples that follow each other, and those of one round, are alike: a guest stays in one function for a while, and its
 * vCPUs work on the same thing. Their shares are as noisy as those of fewer samples. How much fewer, a trace tells itself:
 * it is cut into batches of time, and shares that differ more from one batch to the next than chance explains are noise of
 * the guest's own. Only neighbours are compared (the successive differences of systematic sampling: Wolter, Introduction to
 * Variance Estimation, 8.2.1), so that phases which last are not taken for noise.
 */
#ifndef REPORT_FOLD_BATCHES_H
#define REPORT_FOLD_BATCHES_H

#include "report/fold/display_stack.h"

/*
 * Sets @stacks->profile's effective samples, from its slots of time if it has any; frees @stacks. @profile is the same,
 * to be changed. 0 or -ENOMEM.
 */
int batches_measure(struct profile *profile, struct display_stacks *stacks, unsigned states, enum weight weight);

#endif
