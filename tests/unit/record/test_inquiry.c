/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds over a hundred simulated domains that sleep: how many calls they take, and that none is missed that wakes. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/sim/sim.h"
#include "record/sampling/inquiry.h"
#include "record/sampling/sample.h"

#define DOMAINS 100
#define FP 0x7ff000000f00ull

static const struct stack_choice choice = {127, 32, 0};

struct fixture {
	struct sim_domain d[DOMAINS];
	struct target *t[DOMAINS];
	struct pause_mark mark[DOMAINS];
	struct watch watch[DOMAINS];
	struct inquiry inquiry;
	struct round last[DOMAINS];
};

static void furnish(struct sim_domain *d, uint32_t domid)
{
	static const uint64_t returns[] = {0x10, 0x20, 0x30};
	uint64_t root = sim_space(d);

	sim_stack(d, root, FP, returns, 3);
	d->info = (struct guest_info){.domid = domid, .vcpus = 1, .uuid = {(uint8_t)domid}, .cpu_ns = 1000000};
	d->vcpu[0] = (struct vcpu_stop){
		.regs = {.ip = 0x1000, .fp = FP, .root.cr3 = root << GUEST_PAGE_SHIFT, .valid = true},
		.cpu_ns = 1000000,
		.online = true,
		.blocked = true,
	};
}

static void rounds(struct fixture *f)
{
	inquiry_make(&f->inquiry, f->t, DOMAINS);
	for (size_t i = 0; i < DOMAINS; i++)
		if (!f->t[i]->ended)
			f->last[i] = sample_round(f->t[i]);
}

/* All domains were sampled once, and are known to sleep. */
static void setup(struct fixture *f)
{
	struct hypervisor *x;

	for (uint32_t i = 0; i < DOMAINS; i++)
		furnish(&f->d[i], i + 1);
	x = sim_world(f->d, DOMAINS);
	for (size_t i = 0; i < DOMAINS; i++) {
		f->t[i] = target_open(&hypervisor_backend, x, &f->d[i].info, NULL, &choice);
		assert_non_null(f->t[i]);
		f->watch[i].mark = &f->mark[i];
		target_watch(f->t[i], &f->watch[i]);
		sample_warm(f->t[i]);
	}
	assert_int_equal(inquiry_init(&f->inquiry, DOMAINS), 0);
	rounds(f);
}

static void teardown(struct fixture *f)
{
	for (size_t i = 0; i < DOMAINS; i++) {
		target_close(f->t[i]);
		assert_int_equal(f->d[i].broken, 0);
		sim_free(&f->d[i]);
	}
	inquiry_release(&f->inquiry);
}

struct calls {
	unsigned long batches, infos, stops;
};

static struct calls calls(const struct fixture *f)
{
	struct calls c = {0};

	for (size_t i = 0; i < DOMAINS; i++) {
		c.batches += f->d[i].batches;
		c.infos += f->d[i].infos;
		c.stops += f->d[i].stops;
	}
	return c;
}

static void assert_calls(const struct fixture *f, unsigned long batches, unsigned long infos, unsigned long stops)
{
	const struct calls c = calls(f);

	assert_int_equal(c.batches, batches);
	assert_int_equal(c.infos, infos);
	assert_int_equal(c.stops, stops);
}

FIXTURE_TEST(one_call_a_round)
{
	assert_calls(f, 0, 0, DOMAINS);
	for (int n = 0; n < 99; n++) {
		rounds(f);
		for (size_t i = 0; i < DOMAINS; i++)
			assert_int_equal(f->last[i].kind, ROUND_SAME);
	}
	assert_calls(f, 99, 0, DOMAINS);
}

/* Sampled in the same round in which it is seen to have run; the others stay asleep. */
FIXTURE_TEST(one_wakes)
{
	rounds(f);
	f->d[41].info.cpu_ns = f->d[41].vcpu[0].cpu_ns += 5000;
	f->d[41].vcpu[0].regs.ip = 0x1234;
	rounds(f);
	for (size_t i = 0; i < DOMAINS; i++)
		assert_int_equal(f->last[i].kind, i == 41 ? ROUND_TAKEN : ROUND_SAME);
	assert_int_equal(f->t[41]->stacks.samples[0].frames[0], 0x1234);
	assert_int_equal(f->t[41]->stacks.samples[0].cpu_ns, 5000);
	assert_calls(f, 2, 0, DOMAINS + 1);
}

/* One that works is not asked about, and takes its own two calls. */
FIXTURE_TEST(one_works)
{
	f->d[0].vcpu[0].blocked = false;
	f->d[0].info.cpu_ns = f->d[0].vcpu[0].cpu_ns += 5000;
	for (int n = 0; n < 10; n++)
		rounds(f);
	assert_int_equal(f->d[0].batches, 1);
	assert_int_equal(f->d[1].batches, 9);
	assert_calls(f, 10, 0, DOMAINS + 10);
}

/* The answer about a number that is another domain's by now is none: it is asked for alone, and has ended. */
FIXTURE_TEST(one_ends)
{
	f->d[7].info.domid = 1000;
	f->d[8].info.dying = true;
	f->d[9].info.paused = true;
	rounds(f);
	assert_int_equal(f->last[7].kind, ROUND_ENDED);
	assert_int_equal(f->last[8].kind, ROUND_ENDED);
	assert_int_equal(f->last[9].kind, ROUND_PAUSED);
	assert_calls(f, 1, 1, DOMAINS);
	rounds(f);
	assert_int_equal(f->last[9].kind, ROUND_PAUSED);
	assert_int_equal(f->last[10].kind, ROUND_SAME);
	assert_calls(f, 2, 1, DOMAINS);
}
