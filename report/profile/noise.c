/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/profile/noise.h"

#include <math.h>

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

struct noise_range noise_range(double share, double samples, double z)
{
	double z2 = z * z, middle, half;

	if (samples <= 0)
		return (struct noise_range){0, 1};
	middle = (share + z2 / (2 * samples)) / (1 + z2 / samples);
	half = z / (1 + z2 / samples) * sqrt(share * (1 - share) / samples + z2 / (4 * samples * samples));
	return (struct noise_range){middle - half > 0 ? middle - half : 0, middle + half < 1 ? middle + half : 1};
}

double noise_error(double share, double samples)
{
	struct noise_range r = noise_range(share, samples, NOISE_Z95);

	return (r.to - r.from) / 2;
}

double noise_error_of_change(double old_share, double old_samples, double share, double samples)
{
	double one = noise_error(old_share, old_samples), other = noise_error(share, samples);

	return sqrt(one * one + other * other);
}
