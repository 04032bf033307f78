/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/parameters.h"

#define SHIFT_MAX 32
#define RATE_MAX UINT64_C(1000000000000)

size_t parameters_put(const struct parameters *p, uint64_t first_tick, uint8_t *at)
{
	size_t n = put_varint(at, p->period_ticks);

	n += put_varint(at + n, p->stacks);
	n += put_varint(at + n, p->time_shift);
	n += put_varint(at + n, p->cpu_shift);
	n += put_varint(at + n, p->due.schedule.rate_mhz);
	if (!p->due.schedule.rate_mhz)
		return n;
	n += put_varint(at + n, p->due.k);
	n += put_varint(at + n, zigzag((int64_t)(first_tick * UPF_TICK_NS - p->due.from_ns)));
	put_u64(at + n, p->due.schedule.seed);
	return n + 8;
}

bool parameters_get(struct parameters *p, struct cursor *c, uint64_t first_tick, bool v1)
{
	uint64_t time_shift, cpu_shift, rate, k;

	*p = (struct parameters){.period_ticks = get_varint(c)};
	if (v1)
		return !c->bad;
	p->stacks = get_varint(c);
	time_shift = get_varint(c);
	cpu_shift = get_varint(c);
	rate = get_varint(c);
	if (c->bad || time_shift > SHIFT_MAX || cpu_shift > SHIFT_MAX || rate > RATE_MAX)
		return false;
	p->time_shift = (unsigned)time_shift;
	p->cpu_shift = (unsigned)cpu_shift;
	p->due.schedule.rate_mhz = rate;
	if (!rate)
		return true;
	k = get_varint(c);
	schedule_seek(&p->due, k);
	p->due.schedule.start_ns = first_tick * UPF_TICK_NS - (uint64_t)get_zigzag(c) - p->due.from_ns;
	p->due.schedule.seed = get_u64(c);
	schedule_seek(&p->due, k);
	return !c->bad;
}
