/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/timer.h"

#define NS_PER_S 1000000000ull

/* Marsaglia, "Xorshift RNGs" (2003): good enough for deadlines. */
static uint64_t draw(struct sampling_timer *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

void timer_init(struct sampling_timer *p, uint64_t start_ns, uint64_t rate_mhz, uint64_t seed)
{
	*p = (struct sampling_timer){.start_ns = start_ns, .rate_mhz = rate_mhz, .random = seed | 1};
}

/* Without rounding errors that add up, whatever the rate. */
static uint64_t nominal(const struct sampling_timer *p, uint64_t k)
{
	return p->start_ns + (uint64_t)((unsigned __int128)k * NS_PER_S * 1000 / p->rate_mhz);
}

uint64_t timer_period_ns(const struct sampling_timer *p)
{
	return NS_PER_S * 1000 / p->rate_mhz;
}

uint64_t timer_next(struct sampling_timer *p)
{
	uint64_t from = nominal(p, p->next++), length = nominal(p, p->next) - from;

	return from + (length ? draw(p) % length : 0);
}

uint64_t timer_skip(struct sampling_timer *p, uint64_t now_ns)
{
	uint64_t missed, passed;

	if (now_ns <= p->start_ns)
		return 0;
	passed = (uint64_t)((unsigned __int128)(now_ns - p->start_ns) * p->rate_mhz / (NS_PER_S * 1000));
	if (passed < p->next)
		return 0;
	/* The deadline just passed may still be kept a little late; those before it may not. */
	missed = passed - p->next;
	p->next = passed;
	return missed;
}
