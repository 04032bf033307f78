/* SPDX-License-Identifier: BSD-2-Clause */
/* SAME records counted by multiplication: the same figures as when every repeated sample is gone through. */
#include "tests/unit/unit.h"

#include "report/profile/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MS 1000000u
#define DOMAINS 3u
#define VCPUS 5u
#define QUANTUM (50 * MS)

static uint32_t below(uint64_t *random, uint32_t n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % n;
}

static int put(void *ctx, const void *data, size_t len)
{
	return write(*(int *)ctx, data, len) == (ssize_t)len ? 0 : -EIO;
}

static void some_round(struct upf_encoder *e, uint64_t *random, uint32_t domain, uint64_t now)
{
	uint64_t frames[VCPUS][3];
	struct upf_sample s[VCPUS];
	uint32_t n = below(random, VCPUS + 1);

	for (uint32_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 3; k++)
			frames[i][k] = 0x1000 * (k + 1) + below(random, 3);
		s[i] = (struct upf_sample){.vcpu = i,
		                           .state = (uint8_t)below(random, 4),
		                           .user = below(random, 4) == 0,
		                           .end = (uint8_t)below(random, 3),
		                           .cpu_ns = below(random, 10) * UPF_TICK_NS,
		                           .frames = frames[i],
		                           .depth = below(random, 4)};
	}
	assert_int_equal(upf_encode_round(e, domain, now, 20000, s, n), 0);
}

static const struct upf_domain domains[] = {{.id = 1, .name = "a"}, {.id = 2, .name = "b"}, {.id = 3, .name = "c"}};

static int make_trace(uint64_t random)
{
	const struct upf_session session = {.rate_mhz = 1000000,
	                                    .max_stack = 8,
	                                    .command = "c",
	                                    .recorder = "r",
	                                    .host = "h",
	                                    .hypervisor = "x",
	                                    .domains = domains,
	                                    .ndomains = DOMAINS};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint64_t now = 0;

	assert_true(w && e);
	for (unsigned block = 0; block < 5; block++) {
		upf_encoder_reset(e, MS);
		for (unsigned i = 0; i < 500; i++) {
			uint32_t domain = below(&random, DOMAINS);
			int rc;

			now += below(&random, 4) * MS;
			rc = below(&random, 6) ? upf_encode_same(e, domain, now) : -ENOENT;
			if (rc == -ENOENT)
				some_round(e, &random, domain, now);
			if (below(&random, 50) == 0)
				assert_int_equal(upf_encode_lost(e, domain, now, 2, UPF_LOST_PAUSED), 0);
		}
		assert_int_equal(upf_writer_block(w, e), 0);
	}
	upf_encoder_free(e);
	upf_writer_free(w);
	return fd;
}

struct heard {
	uint64_t samples, calls;
	uint64_t by_slot[200][DOMAINS][VCPUS]; /* samples */
	uint64_t periods;                      /* that they stand for */
	uint64_t slot_ns;
};

static int hear(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct heard *h = ctx;
	uint64_t slot = rec->time_ns / h->slot_ns;

	(void)b;
	(void)node;
	if (rec->kind != UPF_SAMPLE)
		return 0;
	assert_true(slot < COUNT(h->by_slot));
	h->by_slot[slot][rec->domain][rec->vcpu] += rec->count;
	h->samples += rec->count;
	h->periods += rec->period;
	h->calls++;
	return 0;
}

static void load(struct profile *p, int fd, const struct load_options *options, uint64_t quantum_ns)
{
	enum upf_fault fault;
	struct upf_reader *r;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	assert_int_equal(profile_init(p), 0);
	p->quantum_ns = quantum_ns;
	assert_int_equal(load_trace(p, r, options), 0);
	upf_reader_close(r);
}

static int compare(const void *va, const void *vb)
{
	const struct stack *a = va, *b = vb;
	uint64_t x[] = {a->slot, a->domain, a->vcpu, a->node, a->state, a->user};
	uint64_t y[] = {b->slot, b->domain, b->vcpu, b->node, b->state, b->user};

	for (size_t i = 0; i < COUNT(x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void same_profile(struct profile *a, struct profile *b)
{
	assert_int_equal(a->nstacks, b->nstacks);
	qsort(a->stacks, a->nstacks, sizeof(*a->stacks), compare);
	qsort(b->stacks, b->nstacks, sizeof(*b->stacks), compare);
	for (size_t i = 0; i < a->nstacks; i++) {
		assert_int_equal(compare(&a->stacks[i], &b->stacks[i]), 0);
		assert_int_equal(a->stacks[i].samples, b->stacks[i].samples);
		assert_int_equal(a->stacks[i].cpu_ns, b->stacks[i].cpu_ns);
		assert_int_equal(a->stacks[i].time, b->stacks[i].time);
	}
	assert_memory_equal(&a->counters, &b->counters, sizeof(a->counters));
	assert_int_equal(profile_unit(a, NULL, WEIGHT_TIME), UNIT_PERIODS); /* there are gaps */
}

/* What a listener that wants each sample hears is the measure. */
static void compare_loads(int fd, const struct scope *scope, uint64_t quantum_ns)
{
	static struct heard each, merged;
	const struct load_hooks hear_each = {.ctx = &each, .record = hear};
	const struct load_hooks hear_slots = {.ctx = &merged, .record = hear, .slot_ns = 20 * MS};
	struct load_options options = {.scope = scope, .hooks = &hear_each};
	struct profile by_one, at_once, by_slot, by_threads;

	each = (struct heard){.slot_ns = 20 * MS};
	merged = (struct heard){.slot_ns = 20 * MS};
	load(&by_one, fd, &options, quantum_ns);
	options.hooks = &hear_slots;
	load(&by_slot, fd, &options, quantum_ns);
	options.hooks = NULL;
	load(&at_once, fd, &options, quantum_ns);
	options.threads = 3;
	load(&by_threads, fd, &options, quantum_ns);
	same_profile(&by_one, &at_once);
	same_profile(&by_one, &by_slot);
	same_profile(&by_one, &by_threads);
	assert_int_equal(each.samples, each.calls);
	assert_int_equal(each.samples, by_one.counters.samples);
	assert_int_equal(each.samples, merged.samples);
	assert_int_equal(each.periods, merged.periods);
	assert_true(each.periods > each.samples);
	assert_true(merged.calls < each.calls);
	assert_memory_equal(each.by_slot, merged.by_slot, sizeof(each.by_slot));
	profile_free(&by_one);
	profile_free(&at_once);
	profile_free(&by_slot);
	profile_free(&by_threads);
}

static void compare_selection(int fd, struct selection *selection)
{
	const struct upf_session session = {.domains = domains, .ndomains = DOMAINS};
	struct scope scope;
	char why[128];

	assert_int_equal(scope_make(&scope, selection, &session, 0, why, sizeof(why)), 0);
	scope.later_ns = 7 * MS;
	compare_loads(fd, &scope, 0);
	compare_loads(fd, &scope, QUANTUM);
}

TEST(same_figures)
{
	for (uint64_t seed = 1; seed < 6; seed++) {
		struct selection all = {0}, vcpus = {.some_vcpus = true}, time = {0}, both;
		int fd = make_trace(seed);

		vcpus.vcpus[0] = 5; /* 0 and 2 */
		time.from.given = time.to.given = true;
		time.from.n = 333 * MS;
		time.to.n = 1777 * (uint64_t)MS;
		both = time;
		both.some_vcpus = true;
		both.vcpus[0] = 6;
		compare_loads(fd, NULL, 0);
		compare_selection(fd, &all);
		compare_selection(fd, &vcpus);
		compare_selection(fd, &time);
		compare_selection(fd, &both);
		close(fd);
	}
}
