/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/sleepers.h"

#include <string.h>

#define PATIENCE_MAX 63u /* rounds */

void sleepers_choose_none(struct target *t)
{
	memset(t->asleep, 0, sizeof(t->asleep));
}

void sleepers_choose(struct target *t)
{
	sleepers_choose_none(t);
	for (size_t i = 0; i < t->nsamples; i++) {
		const struct sleeper *s = &t->sleepers[i];
		uint32_t vcpu = t->samples[i].vcpu;

		if (s->rounds > s->patience && !t->registers)
			t->asleep[vcpu / 64] |= 1ull << vcpu % 64;
	}
}

/* Has it used CPU time since the last round, or does it want some? One that is offline sleeps. */
static bool has_run(const struct sleeper *s, const struct vcpu_stop *stop)
{
	return stop->online != s->online || (stop->online && !stop->blocked) || stop->cpu_ns != s->cpu_ns;
}

bool sleepers_all_slept(struct target *t)
{
	bool all = true;

	for (size_t i = 0; i < t->nsamples; i++) {
		struct sleeper *s = &t->sleepers[i];

		if (!sleepers_left_out(t, i) || !has_run(s, &t->stops[t->samples[i].vcpu]))
			continue;
		s->rounds = 0;
		s->patience = s->patience < PATIENCE_MAX ? 2 * s->patience + 1 : PATIENCE_MAX;
		all = false;
	}
	return all;
}

void sleepers_count(struct target *t, size_t i)
{
	struct sleeper *s = &t->sleepers[i];
	const struct vcpu_stop *stop = &t->stops[t->samples[i].vcpu];

	if (has_run(s, stop))
		s->rounds = 0;
	else if (++s->rounds > 2 * PATIENCE_MAX)
		s->patience = 0;
	s->cpu_ns = stop->cpu_ns;
	s->online = stop->online;
}
