/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/sleepers.h"

#include <string.h>

#define PATIENCE_MAX 63u /* rounds */

void sleepers_choose_none(struct vcpu_stacks *all)
{
	memset(all->asleep, 0, sizeof(all->asleep));
}

void sleepers_choose(struct vcpu_stacks *all)
{
	sleepers_choose_none(all);
	for (size_t i = 0; i < all->nsamples; i++) {
		const struct sleeper *s = &all->sleepers[i];
		uint32_t vcpu = all->samples[i].vcpu;

		if (s->rounds > s->patience && !all->registers)
			all->asleep[vcpu / 64] |= 1ull << vcpu % 64;
	}
}

/* Has it used CPU time since the last round, or does it want some? One that is offline sleeps. */
static bool has_run(const struct sleeper *s, const struct vcpu_stop *stop)
{
	return stop->online != s->online || (stop->online && !stop->blocked) || stop->cpu_ns != s->cpu_ns;
}

bool sleepers_all_slept(struct vcpu_stacks *all)
{
	bool slept = true;

	for (size_t i = 0; i < all->nsamples; i++) {
		struct sleeper *s = &all->sleepers[i];

		if (!vcpu_stacks_leave_out(all, i) || !has_run(s, &all->stops[all->samples[i].vcpu]))
			continue;
		s->rounds = 0;
		s->patience = s->patience < PATIENCE_MAX ? 2 * s->patience + 1 : PATIENCE_MAX;
		slept = false;
	}
	return slept;
}

void sleepers_count(struct vcpu_stacks *all, size_t i)
{
	struct sleeper *s = &all->sleepers[i];
	const struct vcpu_stop *stop = &all->stops[all->samples[i].vcpu];

	if (has_run(s, stop))
		s->rounds = 0;
	else if (++s->rounds > 2 * PATIENCE_MAX)
		s->patience = 0;
	s->cpu_ns = stop->cpu_ns;
	s->online = stop->online;
}
