/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/noise.h"

#include <math.h>

#define Z95 1.959964 /* so many standard errors to either side hold the truth in 95 of 100 cases */

double noise_samples(const struct profile *p, unsigned states, enum weight weight)
{
	const struct counters *t = &p->counters;
	double sum = 0, squares = 0;

	if (weight == WEIGHT_SAMPLES)
		return (double)profile_count(p, states);
	for (unsigned s = 0; s < COUNTERS_STATES; s++) {
		if (states & 1u << s) {
			sum += (double)(weight == WEIGHT_CPU ? t->cpu_ns[s] : t->time[s]);
			squares += (double)(weight == WEIGHT_CPU ? t->cpu_squares[s] : t->squares[s]);
		}
	}
	return squares > 0 ? sum * sum / squares : 0;
}

double noise_error(double share, double samples)
{
	const double z2 = Z95 * Z95;
	double middle, half, from, to;

	if (samples <= 0)
		return 0.5;
	middle = (share + z2 / (2 * samples)) / (1 + z2 / samples);
	half = Z95 / (1 + z2 / samples) * sqrt(share * (1 - share) / samples + z2 / (4 * samples * samples));
	from = middle - half > 0 ? middle - half : 0;
	to = middle + half < 1 ? middle + half : 1;
	return (to - from) / 2;
}

double noise_error_of_change(double old_share, double old_samples, double share, double samples)
{
	double one = noise_error(old_share, old_samples), other = noise_error(share, samples);

	return sqrt(one * one + other * other);
}
