/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/throttle.h"

void throttle_init(struct throttle *b, double share, uint64_t seed)
{
	*b = (struct throttle){.share = share, .random = seed | 1};
}

/* From 0.75 to 1.25: samples as fast as the limit allows must not run in step with the guest's timers. */
static double jitter(struct throttle *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return 0.75 + (double)(b->random >> 11) / (double)(1ull << 53) / 2;
}

uint64_t throttle_charge(struct throttle *b, uint64_t now_ns, uint64_t spent_ns)
{
	if (b->share >= 1)
		return 0;
	if (b->last_ns && now_ns > b->last_ns)
		b->debt_ns -= b->share * (double)(now_ns - b->last_ns);
	if (b->debt_ns < -b->share * THROTTLE_SAVED_NS)
		b->debt_ns = -b->share * THROTTLE_SAVED_NS;
	b->last_ns = now_ns;
	b->debt_ns += (double)spent_ns;
	return b->debt_ns <= 0 ? 0 : now_ns + (uint64_t)(b->debt_ns / b->share * jitter(b));
}
