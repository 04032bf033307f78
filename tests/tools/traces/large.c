/* SPDX-License-Identifier: BSD-2-Clause */
/* large.c - traces of many samples, for benchmarks and limits. */
#include "tests/tools/traces/kinds.h"

void make_many(struct maker *m, uint64_t count, uint64_t unique, uint32_t depth)
{
	uint64_t frames[UPF_DEPTH_MAX], random = 88172645463325252u;

	start(m, 1);
	for (uint64_t n = 0; n < count; n++) {
		struct upf_sample s = {.state = UPF_RUNNING, .frames = frames, .depth = depth, .cpu_ns = MS};
		uint64_t which;

		which = next_random(&random) % unique;
		for (uint32_t i = 0; i < depth; i++) {
			/* The root is shared by all; ten stacks share all but the leaf, a hundred all but two, ... */
			uint64_t branch = i < 5 ? which / (uint64_t[]){1, 10, 100, 1000, 10000}[i] : 0;

			frames[i] = 0x100000 + (depth - i) * 0x10000 + branch % 4096 * 16;
		}
		round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}

void make_scattered(struct maker *m, uint64_t count, uint32_t depth)
{
	uint64_t frames[UPF_DEPTH_MAX];

	start(m, 1);
	for (uint32_t i = 1; i < depth; i++)
		frames[i] = 0x100000 + i * 0x10000;
	for (uint64_t n = 0; n < count; n++) {
		struct upf_sample s = {.state = UPF_RUNNING, .frames = frames, .depth = depth, .cpu_ns = MS};
		uint64_t place = n * 0x9e3779b1 % (UINT64_C(1) << 36);

		place = (place ^ place >> 18) * 0x85ebca6b % (UINT64_C(1) << 36);
		frames[0] = 0x7f0000000000 + place; /* every step can be undone, so no two are alike */
		round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}

/*
 * A block full of SAME records of 4096 vCPUs: a few thousand bytes that stand for 250 million samples. @apart: each
 * in another second than the one before.
 */
static void make_repeats_of(struct maker *m, bool apart)
{
	static const uint64_t work[] = {0x1110, 0x1010, 0}, leaf[] = {0x1210, 0x1150, 0x1010, 0};
	static struct upf_sample samples[UPF_VCPUS_MAX];
	uint64_t begin;

	for (uint32_t i = 0; i < UPF_VCPUS_MAX; i++)
		samples[i] = sample(i, UPF_RUNNABLE, i % 2 ? leaf : work);
	start(m, 1);
	round_of(m, 0, 40000, samples, UPF_VCPUS_MAX);
	begin = m->now;
	for (unsigned n = 0; upf_encode_same(m->encoder, 0, m->now) == 0; n++) {
		m->totals.rounds++;
		m->totals.samples += UPF_VCPUS_MAX;
		m->now = apart ? begin + (n % 2 + 1) * 1000 * (uint64_t)MS : m->now + PERIOD;
	}
	finish(m);
}

void make_repeats(struct maker *m)
{
	make_repeats_of(m, false);
}

void make_repeats_apart(struct maker *m)
{
	make_repeats_of(m, true);
}
