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

struct host {
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

static void rounds(struct host *h)
{
	inquiry_make(&h->inquiry, h->t, DOMAINS);
	for (size_t i = 0; i < DOMAINS; i++)
		if (!h->t[i]->ended)
			h->last[i] = sample_round(h->t[i]);
}

/* All domains were sampled once, and are known to sleep. */
static int setup(void **state)
{
	static struct host h;
	struct hypervisor *x;
	char why[128];

	memset(&h, 0, sizeof(h));
	for (uint32_t i = 0; i < DOMAINS; i++)
		furnish(&h.d[i], i + 1);
	sim_world(h.d, DOMAINS);
	x = hypervisor_backend.host.open(why, sizeof(why));
	for (size_t i = 0; i < DOMAINS; i++) {
		h.t[i] = target_open(&hypervisor_backend, x, &h.d[i].info, NULL, &choice);
		assert_non_null(h.t[i]);
		h.watch[i].mark = &h.mark[i];
		target_watch(h.t[i], &h.watch[i]);
		sample_warm(h.t[i]);
	}
	assert_int_equal(inquiry_init(&h.inquiry, DOMAINS), 0);
	rounds(&h);
	*state = &h;
	return 0;
}

static int teardown(void **state)
{
	struct host *h = *state;

	for (size_t i = 0; i < DOMAINS; i++) {
		target_close(h->t[i]);
		assert_int_equal(h->d[i].broken, 0);
		sim_free(&h->d[i]);
	}
	inquiry_release(&h->inquiry);
	return 0;
}

struct calls {
	unsigned long batches, infos, stops;
};

static struct calls calls(const struct host *h)
{
	struct calls c = {0};

	for (size_t i = 0; i < DOMAINS; i++) {
		c.batches += h->d[i].batches;
		c.infos += h->d[i].infos;
		c.stops += h->d[i].stops;
	}
	return c;
}

static void assert_calls(const struct host *h, unsigned long batches, unsigned long infos, unsigned long stops)
{
	const struct calls c = calls(h);

	assert_int_equal(c.batches, batches);
	assert_int_equal(c.infos, infos);
	assert_int_equal(c.stops, stops);
}

static void one_call_a_round(void **state)
{
	struct host *h = *state;

	assert_calls(h, 0, 0, DOMAINS);
	for (int n = 0; n < 99; n++) {
		rounds(h);
		for (size_t i = 0; i < DOMAINS; i++)
			assert_int_equal(h->last[i].kind, ROUND_SAME);
	}
	assert_calls(h, 99, 0, DOMAINS);
}

/* Sampled in the same round in which it is seen to have run; the others stay asleep. */
static void one_wakes(void **state)
{
	struct host *h = *state;

	rounds(h);
	h->d[41].info.cpu_ns = h->d[41].vcpu[0].cpu_ns += 5000;
	h->d[41].vcpu[0].regs.ip = 0x1234;
	rounds(h);
	for (size_t i = 0; i < DOMAINS; i++)
		assert_int_equal(h->last[i].kind, i == 41 ? ROUND_TAKEN : ROUND_SAME);
	assert_int_equal(h->t[41]->stacks.samples[0].frames[0], 0x1234);
	assert_int_equal(h->t[41]->stacks.samples[0].cpu_ns, 5000);
	assert_calls(h, 2, 0, DOMAINS + 1);
}

/* One that works is not asked about, and takes its own two calls. */
static void one_works(void **state)
{
	struct host *h = *state;

	h->d[0].vcpu[0].blocked = false;
	h->d[0].info.cpu_ns = h->d[0].vcpu[0].cpu_ns += 5000;
	for (int n = 0; n < 10; n++)
		rounds(h);
	assert_int_equal(h->d[0].batches, 1);
	assert_int_equal(h->d[1].batches, 9);
	assert_calls(h, 10, 0, DOMAINS + 10);
}

/* The answer about a number that is another domain's by now is none: it is asked for alone, and has ended. */
static void one_ends(void **state)
{
	struct host *h = *state;

	h->d[7].info.domid = 1000;
	h->d[8].info.dying = true;
	h->d[9].info.paused = true;
	rounds(h);
	assert_int_equal(h->last[7].kind, ROUND_ENDED);
	assert_int_equal(h->last[8].kind, ROUND_ENDED);
	assert_int_equal(h->last[9].kind, ROUND_PAUSED);
	assert_calls(h, 1, 1, DOMAINS);
	rounds(h);
	assert_int_equal(h->last[9].kind, ROUND_PAUSED);
	assert_int_equal(h->last[10].kind, ROUND_SAME);
	assert_calls(h, 2, 1, DOMAINS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(one_call_a_round), TEST(one_wakes), TEST(one_works), TEST(one_ends)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
