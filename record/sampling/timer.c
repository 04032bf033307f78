/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/timer.h"

#define NS_PER_S 1000000000ull

void timer_init(struct sampling_timer *p, uint64_t start_ns, uint64_t rate_mhz, uint64_t seed)
{
	*p = (struct sampling_timer){.schedule = {.start_ns = start_ns, .rate_mhz = rate_mhz, .seed = seed}};
}

uint64_t timer_look(const struct sampling_timer *p)
{
	return upf_deadline(&p->schedule, p->next);
}

uint64_t timer_next(struct sampling_timer *p)
{
	return upf_deadline(&p->schedule, p->next++);
}

uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns)
{
	uint64_t start_ns = p->schedule.start_ns, missed, passed;

	if (now_ns <= start_ns)
		return 0;
	passed = (uint64_t)((unsigned __int128)(now_ns - start_ns) * p->schedule.rate_mhz / (NS_PER_S * 1000));
	if (passed < p->next)
		return 0;
	/* The deadline just passed may still be kept a little late; those before it may not. */
	missed = passed - p->next;
	p->next = passed;
	return missed;
}
