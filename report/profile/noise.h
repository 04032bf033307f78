/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noise.h - how far a share that samples tell may be from the true one, by chance alone.
 *
 * A share is the weight of the samples that found something, of the weight of all. Where samples weigh differently,
 * their share is as noisy as that of fewer equal ones: of (sum of w)^2 / (sum of w^2), Kish's effective number. The
 * interval is Wilson's, which holds for shares near 0 and 1 and of few samples, too.
 */
#ifndef REPORT_PROFILE_NOISE_H
#define REPORT_PROFILE_NOISE_H

#include "report/profile/profile.h"

/*
 * How many samples of equal weight are as good as those of @p in these states, if each is independent of the others;
 * report/fold/batches.h finds out whether they are.
 */
double noise_samples(const struct profile *p, unsigned states, enum weight weight);

/* The +- of @share, 0 to 1, of @samples effective ones: half of the interval that holds the truth in 95 % of cases. */
double noise_error(double share, double samples);
/* The same of the difference between two independent runs' shares: one within +- of 0 may be chance alone. */
double noise_error_of_change(double old_share, double old_samples, double share, double samples);

#endif
