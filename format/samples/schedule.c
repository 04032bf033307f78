/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/schedule.h"

#define MILLI_NS_PER_S UINT64_C(1000000000000)
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014): their SplitMix64's number @k. */
static uint64_t random_number(uint64_t seed, uint64_t k)
{
	uint64_t z = seed + (k + 1) * GOLDEN;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* What follows from the period's beginning. */
static void draw_deadline(struct schedule_at *at)
{
	unsigned __int128 random = random_number(at->schedule.seed, at->k);

	at->length_ns = at->whole + (at->part >= at->schedule.rate_mhz - at->rest);
	at->deadline_ns = at->from_ns + (uint64_t)(random * at->length_ns >> 64);
}

void schedule_seek(struct schedule_at *at, uint64_t k)
{
	unsigned __int128 since = (unsigned __int128)k * MILLI_NS_PER_S;

	at->k = k;
	at->whole = MILLI_NS_PER_S / at->schedule.rate_mhz;
	at->part = MILLI_NS_PER_S % at->schedule.rate_mhz;
	at->from_ns = at->schedule.start_ns + (uint64_t)(since / at->schedule.rate_mhz);
	at->rest = (uint64_t)(since % at->schedule.rate_mhz);
	draw_deadline(at);
}

void schedule_step(struct schedule_at *at)
{
	uint64_t rate = at->schedule.rate_mhz;

	at->k++;
	at->from_ns += at->length_ns;
	at->rest = at->part >= rate - at->rest ? at->rest - (rate - at->part) : at->rest + at->part;
	draw_deadline(at);
}

void schedule_find(struct schedule_at *at, uint64_t time_ns)
{
	uint64_t since = time_ns - at->schedule.start_ns;

	schedule_seek(at, (int64_t)since < 0
	                          ? 0
	                          : (uint64_t)((unsigned __int128)since * at->schedule.rate_mhz / MILLI_NS_PER_S));
}

void schedule_start(struct schedule_walk *walk, uint64_t time_ns)
{
	schedule_find(&walk->at, time_ns);
	if (walk->at.k)
		schedule_seek(&walk->at, walk->at.k - 1);
	walk->next = walk->at;
	schedule_step(&walk->next);
}

uint64_t schedule_follow(struct schedule_walk *walk, uint64_t time_ns)
{
	uint64_t before = walk->at.k;

	if ((int64_t)(time_ns - walk->next.from_ns) > (int64_t)(8 * walk->next.length_ns))
		schedule_start(walk, time_ns);
	while ((int64_t)(time_ns - walk->next.deadline_ns) >= 0) {
		walk->at = walk->next;
		schedule_step(&walk->next);
	}
	return walk->at.k - before;
}

uint64_t upf_deadline(const struct upf_schedule *s, uint64_t k)
{
	struct schedule_at at = {.schedule = *s};

	schedule_seek(&at, k);
	return at.deadline_ns;
}
