/* SPDX-License-Identifier: BSD-2-Clause */
/* Domains that are found, and domains that end and come back with another number of vCPUs. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "record/sampling/finder.h"
#include "record/sampling/sample.h"

#define SP 0x7ff000000008ull /* so that the last word of a copy of 64 KiB lies on a page of its own */
#define STACK_PAGES 18
#define VCPUS 8

static const struct stack_choice copies = {1, 0, UPF_COPY_MAX};

struct fixture {
	struct sim_domain d[3];
	struct hypervisor *x;
	struct target *t;
	struct upf_encoder *e;
};

/* A domain of which every vCPU runs on a stack that is longer than any copy. */
static void make_domain(struct sim_domain *d, uint32_t domid, const char *name, uint32_t vcpus)
{
	uint64_t root = sim_space(d);

	d->name = name;
	d->info = (struct guest_info){.domid = domid, .vcpus = vcpus, .uuid = {1}};
	for (uint64_t i = 0; i < STACK_PAGES * GUEST_PAGE_SIZE / 8; i++)
		sim_poke(d, root, SP - SP % GUEST_PAGE_SIZE + i * 8, i * 0x9e3779b97f4a7c15);
	for (uint32_t v = 0; v < vcpus; v++)
		d->vcpu[v] = (struct vcpu_stop){
			.regs = {.ip = 0x1000,
		                 .sp = SP,
		                 .fp = SP,
		                 .root.cr3 = root << GUEST_PAGE_SHIFT,
		                 .valid = true},
			.online = true,
			.running = true,
		};
}

static void end_domain(struct sim_domain *d)
{
	d->info.dying = true;
}

/* Does the block that was made for the first domain hold a round of @t? */
static int encode(struct fixture *f)
{
	struct round r;

	sample_warm(f->t);
	f->d[0].info.cpu_ns += 1000000;
	r = sample_round(f->t);
	assert_int_equal(r.kind, ROUND_TAKEN);
	upf_encoder_reset(f->e, 1000000);
	return upf_encode_round(f->e, 0, 1000000, r.pause_ns, f->t->stacks.samples, f->t->stacks.nsamples);
}

/* A domain with so many vCPUs, behind another one with @before. */
static void prepare(struct fixture *f, uint32_t vcpus, uint32_t before)
{
	struct queue_blocks room = {.slots = before};

	make_domain(&f->d[0], 1, "web1", vcpus);
	f->x = sim_world(f->d, 1);
	f->t = target_open(&hypervisor_backend, f->x, &f->d[0].info, NULL, &copies);
	assert_non_null(f->t);
	target_reserve(f->t, &room);
	assert_int_equal(room.slots, before + vcpus);
	f->e = upf_encoder_new(UPF_TOPS_COPY, room.slots, room.copy_words);
	assert_non_null(f->e);
}

static void setup(struct fixture *f)
{
	prepare(f, VCPUS, 0);
}

static void setup_few(struct fixture *f)
{
	prepare(f, 2, 10);
}

static void teardown(struct fixture *f)
{
	upf_encoder_free(f->e);
	target_close(f->t);
	for (size_t i = 0; i < COUNT(f->d); i++)
		sim_free(&f->d[i]);
}

/* The domain ends and comes back as domain @i of the simulation with so many vCPUs. */
static void come_back(struct fixture *f, size_t i, uint32_t vcpus)
{
	const struct domain_identity identity = {.name = "web1"};
	struct guest_info info;
	struct round r;
	uint64_t seen_ns;

	assert_false(sample_ended(f->t, &r));
	seen_ns = f->t->comeback.seen_ns;
	assert_int_equal(seen_ns, r.time_ns);
	end_domain(&f->d[i - 1]);
	assert_true(sample_ended(f->t, &r));
	make_domain(&f->d[i], (uint32_t)i + 1, "web1", vcpus);
	sim_world(f->d, i + 1);
	assert_int_equal(finder_search(&hypervisor_backend, f->x, &identity, NULL, 0, &info), 0);
	assert_int_equal(info.domid, i + 1);
	assert_int_equal(target_reopen(f->t, f->x, &info, NULL), 0);
	/* If it cannot be recorded after all, it is not taken for another one that was there before. */
	assert_int_equal(f->t->comeback.seen_ns, seen_ns);
	assert_int_equal(f->t->info.domid, i + 1);
	assert_string_equal(f->t->name, "web1");
}

FIXTURE_TEST(fewer_vcpus)
{
	uint32_t words = f->t->stacks.choice.copy_words;

	assert_int_equal(encode(f), 0);
	assert_int_equal(f->t->stacks.samples[0].nwords, words);
	come_back(f, 1, 4);
	assert_int_equal(encode(f), 0);
	assert_int_equal(f->t->stacks.nsamples, 4);
	assert_int_equal(f->t->stacks.samples[0].nwords, words);
	for (uint32_t v = 0; v < 4; v++)
		assert_int_equal(f->t->stacks.samples[v].slot, v);
}

/* Blocks still have the room of the first time. */
FIXTURE_TEST(fewer_and_as_many_again)
{
	come_back(f, 1, 2);
	assert_int_equal(f->t->stacks.nsamples, 2);
	come_back(f, 2, VCPUS);
	assert_int_equal(f->t->stacks.nsamples, VCPUS);
	for (uint32_t v = 0; v < VCPUS; v++)
		assert_int_equal(f->t->stacks.samples[v].slot, v);
	assert_int_equal(encode(f), 0);
}

/* There is no room for more vCPUs than the first time. */
TEST_WITH(more_vcpus, struct fixture, f, setup_few, teardown)
{
	assert_int_equal(encode(f), 0);
	come_back(f, 1, 4);
	assert_int_equal(f->t->stacks.nsamples, 2);
	assert_int_equal(f->t->stacks.samples[0].slot, 10);
	assert_int_equal(f->t->stacks.samples[1].slot, 11);
	assert_int_equal(encode(f), 0);
}

TEST(found_by_name_and_number)
{
	struct sim_domain d[4] = {0};
	struct guest_info info;

	for (uint32_t i = 0; i < COUNT(d); i++)
		d[i].info = (struct guest_info){.domid = 3 * i, .vcpus = 1};
	d[1].name = "one";
	d[2].name = d[3].name = "two";
	sim_world(d, COUNT(d));
	assert_int_equal(target_find(&hypervisor_backend, NULL, "one", &info), 0);
	assert_int_equal(info.domid, 3);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "6", &info), 0);
	assert_int_equal(info.domid, 6);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "two", &info), -EINVAL);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "three", &info), -ESRCH);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "4", &info), -ESRCH);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "4294967296", &info), -ESRCH);
	assert_int_equal(target_find(&hypervisor_backend, NULL, "", &info), -ESRCH);
}

TEST(not_to_be_opened)
{
	struct sim_domain d = {.info = {.domid = 1, .vcpus = 2}};
	const uint64_t third[UPF_VCPUS_MAX / 64] = {4};
	struct guest_info many = {.domid = 1, .vcpus = UPF_VCPUS_MAX};

	sim_world(&d, 1);
	assert_null(target_open(&hypervisor_backend, NULL, &d.info, third, &copies));
	assert_int_equal(errno, ENODEV);
	assert_null(target_open(&hypervisor_backend, NULL, &many, NULL, &copies));
	assert_int_equal(errno, E2BIG);
	many.vcpus++;
	assert_null(target_open(&hypervisor_backend, NULL, &many, NULL, &copies));
	assert_int_equal(errno, ENOTSUP);
	d.unsupported = true;
	assert_null(target_open(&hypervisor_backend, NULL, &d.info, NULL, &copies));
	assert_int_equal(errno, ENOTSUP);
}
