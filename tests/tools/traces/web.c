/* SPDX-License-Identifier: BSD-2-Clause */
/* web.c - a made-up web server's minute, for pages and pictures. */
#include "tests/tools/traces/kinds.h"

/*
 * A web server's minute on two vCPUs: requests in waves, a burst of garbage collection every seven seconds, and TLS
 * handshakes from 30 to 40 s. tests/web/web.syms names function n, at 0x100000 + n * 0x100. @after: once http_parse
 * (7) was made twice as fast, and tls_handshake (14) twice as slow.
 */
#define WEB_DEPTH 12
static const struct web_stack {
	uint8_t functions[WEB_DEPTH];        /* root first, 0 behind the leaf */
	uint8_t always, collecting, shaking; /* weights of the three phases */
} web_stacks[] = {
	{{1, 2, 3, 4, 5, 6}, 6, 0, 2},
	{{1, 2, 3, 4, 5, 6, 7}, 22, 1, 6},
	{{1, 2, 3, 4, 5, 6, 7, 8}, 11, 0, 3},
	{{1, 2, 3, 4, 5, 9, 10}, 9, 1, 4},
	{{1, 2, 3, 4, 5, 9, 10, 11}, 14, 1, 5},
	{{1, 2, 3, 4, 5, 9, 10, 11, 12, 13}, 8, 1, 3},
	{{1, 2, 3, 4, 14, 15, 16}, 2, 0, 40},
	{{1, 2, 3, 4, 14, 15, 17}, 1, 0, 22},
	{{1, 2, 3, 4, 14, 18}, 1, 0, 9},
	{{1, 2, 3, 19, 20, 21}, 10, 1, 5},
	{{1, 2, 3, 19, 20, 21, 22}, 7, 0, 4},
	{{1, 2, 3, 19, 20, 23, 24, 25, 26}, 12, 1, 7},
	{{1, 2, 3, 19, 20, 23, 24, 27}, 5, 0, 2},
	{{1, 2, 3, 28, 29, 30}, 2, 52, 2},
	{{1, 2, 3, 28, 29, 31}, 1, 31, 1},
	{{1, 2, 3, 28, 32}, 1, 14, 1},
	{{1, 33, 34, 35}, 4, 1, 2},
	{{1, 33, 34, 36, 37}, 3, 1, 2},
	{{1, 38}, 2, 1, 1},
};
#define WEB_STACKS (sizeof(web_stacks) / sizeof(web_stacks[0]))

static bool is_collecting(uint64_t now, uint32_t vcpu)
{
	return vcpu == 0 && now % (7000u * (uint64_t)MS) < 350u * (uint64_t)MS;
}

static bool is_shaking(uint64_t now)
{
	return now >= 30000u * (uint64_t)MS && now < 40000u * (uint64_t)MS;
}

/* Percent of the time in which the vCPU runs: requests come in waves. */
static unsigned web_load(uint64_t now, uint32_t vcpu)
{
	unsigned wave = (unsigned)(now / (100u * MS) % 130), load = wave < 65 ? wave : 130 - wave;

	if (is_collecting(now, vcpu))
		return 100;
	return is_shaking(now) ? 85 : 8 + load * 3 / 5;
}

static unsigned web_weight(const struct web_stack *s, uint64_t now, uint32_t vcpu, bool after)
{
	unsigned weight = is_collecting(now, vcpu) ? s->collecting : is_shaking(now) ? s->shaking : s->always;
	unsigned half = 1, twice = 1;

	for (size_t i = 0; after && i < WEB_DEPTH; i++) {
		half = s->functions[i] == 7 ? 2 : half;
		twice = s->functions[i] == 14 ? 2 : twice;
	}
	return weight * 2 * twice / half;
}

static struct upf_sample web_sample(uint64_t now, uint32_t vcpu, bool after, uint64_t *random, uint64_t *frames)
{
	unsigned all = 0, at, depth = 0;
	size_t which = 0;
	struct upf_sample s = {.vcpu = vcpu, .state = UPF_RUNNING, .frames = frames, .cpu_ns = PERIOD};

	for (size_t i = 0; i < WEB_STACKS; i++)
		all += web_weight(&web_stacks[i], now, vcpu, after);
	at = (unsigned)(next_random(random) % all);
	while (at >= web_weight(&web_stacks[which], now, vcpu, after))
		at -= web_weight(&web_stacks[which++], now, vcpu, after);
	while (depth < WEB_DEPTH && web_stacks[which].functions[depth])
		depth++;
	for (unsigned i = 0; i < depth; i++)
		frames[depth - 1 - i] = 0x100010u + web_stacks[which].functions[i] * 0x100u;
	s.depth = depth;
	s.end = (uint8_t)(next_random(random) % 50 == 0 ? UPF_END_UNMAPPED : UPF_END_ROOT);
	if (next_random(random) % 100 >= web_load(now, vcpu))
		s.state = UPF_BLOCKED;
	return s;
}

static void make_web_of(struct maker *m, bool after)
{
	uint64_t random = 88172645463325252u, frames[2][WEB_DEPTH];

	start(m, 1);
	while (m->now < 60000u * (uint64_t)MS) {
		const struct upf_sample samples[] = {web_sample(m->now, 0, after, &random, frames[0]),
		                                     web_sample(m->now, 1, after, &random, frames[1])};

		round_of(m, 0, 30000 + next_random(&random) % 20000, samples, 2);
	}
	check(upf_encode_lost(m->encoder, 0, m->now, 3, UPF_LOST_PAUSED), "lost");
	m->totals.lost += 3;
	finish(m);
}

void make_web(struct maker *m)
{
	make_web_of(m, false);
}

void make_web_after(struct maker *m)
{
	make_web_of(m, true);
}
