/* SPDX-License-Identifier: BSD-2-Clause */
/* What candidates for a guest's memory that are left agree on, and that a search is not disturbed by looking again. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "guest/x86.h"

static uint64_t clock_ns = 1000000000, clock_cpu_ns; /* what the clocks say */
static uint64_t look_ns;                             /* of CPU time that a look takes */

#define clock_now() clock_ns
#define clock_cpu() clock_cpu_ns
#include "kvmif/backend/attach.c"
#include "kvmif/backend/kvm.c"
#include "kvmif/bpf/no_live.c"
#include "kvmif/memory/search.c"

#define MIB 0x100000ull
#define GIB 0x40000000ull
#define HOST 0x7f0000000000ull
#define MS 1000000ull

/* There is no BPF program. */
struct iterator *iterator_open(char *why, size_t size)
{
	(void)why, (void)size;
	return NULL;
}

void iterator_close(struct iterator *it)
{
	(void)it;
}

int iterator_read(struct iterator *it, pid_t pid, int (*each)(void *ctx, const struct kvm_record *record), void *ctx)
{
	(void)it, (void)pid, (void)each, (void)ctx;
	clock_cpu_ns += look_ns;
	return -ENOSYS;
}

/* Is a look due @ms after the last one, which took @cost_ns of CPU time? */
static bool is_due_after(uint64_t cost_ns, uint64_t ms)
{
	struct hypervisor x = {.ops = &hypervisor_kvm};
	struct guest g = {.x = &x, .machine.pid = getpid(), .pidfd = -1};

	look_ns = cost_ns;
	kvm_look_again(&g);
	clock_ns += ms * MS;
	return is_look_due(&g);
}

/* On a host with many files, before Linux 6.1, a look takes long: it comes less often, for a hundredth of the time. */
TEST(looks_that_cost_more_are_fewer)
{
	assert_false(is_due_after(20 * MS, 1999));
	assert_true(is_due_after(20 * MS, 2000));
	assert_false(is_due_after(0, 999));
	assert_true(is_due_after(0, 1000));
}

static const struct candidate small = {{{0, 64 * MIB, HOST}}, 1}, large = {{{0, GIB, HOST}}, 1},
			      other = {{{0, GIB, HOST + 2 * GIB}}, 1},
			      pair = {{{0, GIB, HOST}, {4 * GIB, GIB, HOST + 2 * GIB}}, 2};

static struct search left(const struct candidate *a, const struct candidate *b)
{
	return (struct search){.all = {other, *a, *b, other}, .out = {true, false, false, true}, .n = 4};
}

static void expect_part(const struct candidate *a, const struct candidate *b, const struct candidate *part)
{
	struct search s = left(a, b);
	struct layout l = {0};

	assert_false(search_is_settled(&s));
	assert_int_equal(search_layout(&s, &l), 0);
	assert_int_equal(l.nslots, part->nslots);
	assert_memory_equal(l.slots, part->slots, part->nslots * sizeof(*part->slots));
	layout_free(&l);
}

/* In either order: a search that is settled does not go on. */
TEST(a_part_is_not_the_whole)
{
	expect_part(&small, &large, &small);
	expect_part(&large, &small, &small);
	expect_part(&pair, &large, &large);
	expect_part(&large, &pair, &large);
	expect_part(&pair, &small, &small);
}

TEST(candidates_that_are_the_same_settle_it)
{
	struct search s = left(&pair, &pair);
	struct layout l = {0};

	assert_true(search_is_settled(&s));
	assert_int_equal(search_layout(&s, &l), 0);
	assert_int_equal(l.nslots, 2);
	layout_free(&l);
	s = left(&large, &other);
	assert_false(search_is_settled(&s));
	assert_int_equal(search_layout(&s, &l), -ENOSYS);
	s = left(&large, &large);
	s.out[1] = s.out[2] = true;
	assert_false(search_is_settled(&s));
}

/* This process is the monitor, of a guest without vCPUs. */
static struct guest *open_own(void)
{
	struct guest *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	g->mark = (struct mark *)&g->own;
	g->machine.pid = getpid();
	g->pidfd = -1;
	return g;
}

/* It would replace the candidate's slots by others, and free them. */
TEST(memory_is_not_looked_for_during_a_search)
{
	const struct x86_state cpu = {
		.cr0 = 0x80000011, .cr4 = 0x20, .efer = 0x500, .cr3 = 0xffffffffff000, .cs_l = true};
	void *memory = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct guest *g = open_own();
	struct vcpu_regs regs = {0};
	const void *page;

	assert_ptr_not_equal(memory, MAP_FAILED);
	x86_mode(&cpu, &regs);
	g->search = search_new(&hypervisor_kvm.memory, g, getpid());
	assert_non_null(g->search);
	assert_false(search_narrow(g->search, &g->layout, &regs));
	assert_int_equal(g->slots_ns, 0);
	/* Else it is where memory is missing. */
	assert_int_equal(kvm_map(g, &(uint64_t){1}, 1, &page), 0);
	assert_int_not_equal(g->slots_ns, 0);
	kvm_detach(g);
	munmap(memory, 8 * MIB);
}

/* Pages of memory that was mapped here before must not be read. */
TEST(memory_that_is_mapped_anew_has_moved)
{
	struct guest *g = open_own();

	g->slots_ns = clock_now();
	g->to_share = true;
	hypervisor_kvm.pause.prepare(g, NULL);
	assert_false(g->moved || g->to_share);
	g->to_share = true;
	g->mapped = 1;
	hypervisor_kvm.pause.prepare(g, NULL);
	assert_true(g->moved && !g->to_share);
	assert_int_equal(hypervisor_kvm.memory.copy(g, NULL, 0, NULL, 0), -ESTALE);
	kvm_detach(g);
}
