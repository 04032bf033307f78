/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, one after the other: loops, holes, other people's memory, and
 * page tables that point at themselves. What a walk must make of each is in hostile.t.
 */
#include "../guest.h"

#include <xen/xen.h>

#define PAGE 4096
#define TURNS 2000000
#define SLOT 5ull /* of the top page table, which is made to point at itself there */
#define XENS 0xffff82d080000000ull
#define NOWHERE 0x00007f0000000000ull

void fp_loop(uint64_t, long), fp_cycle(uint64_t, long), fp_down(uint64_t, long), fp_odd(uint64_t, long),
	fp_hole(uint64_t, long);
void fp_last_word(uint64_t, long), fp_nowhere(uint64_t, long), fp_xen(uint64_t, long), fp_over_pages(uint64_t, long);
void fp_into_hole(uint64_t, long), fp_endless(uint64_t, long), fp_tables(uint64_t, long), fp_flipping(uint64_t, long);
void fp_random(uint64_t, long), sp_odd(uint64_t, long), sp_hole(uint64_t, long), sp_top(uint64_t, long),
	sp_xen(uint64_t, long);
void sp_random(uint64_t, long);

struct frame {
	uint64_t caller, ret;
};

static struct frame loop = {(uint64_t)&loop, 0x1111};
static struct frame cycle[2] = {{(uint64_t)&cycle[1], 0x2222}, {(uint64_t)&cycle[0], 0x3333}};
static struct frame down[2] = {{0, 0x4444}, {(uint64_t)&down[0], 0x5555}};
static struct frame endless[2000];
static uint64_t pages[4][PAGE / 8] __attribute__((aligned(PAGE)));
static uint64_t flipping_page;

static void must(long rc)
{
	if (rc != 0)
		__asm__ volatile("ud2");
}

static void map(void *address, uint64_t entry)
{
	must(hypercall(__HYPERVISOR_update_va_mapping, (long)address, (long)entry, UVMF_INVLPG | UVMF_ALL));
}

static long mmu_update(const mmu_update_t *update)
{
	register long rax __asm__("rax") = __HYPERVISOR_mmu_update;
	register long domain __asm__("r10") = DOMID_SELF;

	__asm__ volatile("syscall"
	                 : "+r"(rax), "+r"(domain)
	                 : "D"(update), "S"(1l), "d"(0l)
	                 : "rcx", "r11", "r8", "r9", "memory");
	return rax;
}

/* Page 1 follows page 0 and page 2 is not there; page 3 comes and goes by work_flip(). */
static void lay_pages(void)
{
	uint64_t tables = root_mfn() * PAGE;
	mmu_update_t self = {.ptr = tables + SLOT * 8, .val = tables | 5}; /* present, and ours to read only */

	pages[0][PAGE / 8 - 1] = 0;
	pages[1][0] = 0x6666;
	pages[1][PAGE / 8 - 1] = 0;
	pages[3][0] = 0;
	pages[3][1] = 0x7777;
	flipping_page = mfn_of(pages[3]) * PAGE | 7;
	map(pages[2], 0);
	must(mmu_update(&self));
	for (unsigned i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		endless[i] = (struct frame){(uint64_t)&endless[i + 1], 0x8888};
}

static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return x;
}

/* Half of them near to something, which is where the mistakes are. */
static uint64_t random_pointer(void)
{
	uint64_t r = next_random();

	return r & 1 ? r : (uint64_t)pages + r % (6 * PAGE);
}

KEPT void work_hostile(void)
{
	lay_pages();
	for (;;) {
		fp_loop((uint64_t)&loop, TURNS);
		fp_cycle((uint64_t)&cycle[0], TURNS);
		fp_down((uint64_t)&down[1], TURNS);
		fp_odd((uint64_t)&loop + 4, TURNS);
		fp_hole(0x8000000000000000ull, TURNS);
		fp_last_word(0x00007ffffffffff8ull, TURNS);
		fp_nowhere(NOWHERE, TURNS);
		fp_xen(XENS, TURNS);
		fp_over_pages((uint64_t)&pages[0][PAGE / 8 - 1], TURNS);
		fp_into_hole((uint64_t)&pages[1][PAGE / 8 - 1], TURNS);
		fp_endless((uint64_t)&endless[0], TURNS);
		/* The table's entry before its own is empty, and no caller; its own is the return address. */
		fp_tables(SLOT << 39 | SLOT << 30 | SLOT << 21 | SLOT << 12 | (SLOT - 1) * 8, TURNS);
		fp_flipping((uint64_t)pages[3], TURNS);
		for (int i = 0; i < 20; i++)
			fp_random(random_pointer(), TURNS / 20);
		sp_odd((uint64_t)&loop + 3, TURNS);
		sp_hole(0x8000000000000000ull, TURNS);
		sp_top(0xfffffffffffffff8ull, TURNS);
		sp_xen(XENS, TURNS);
		for (int i = 0; i < 20; i++)
			sp_random(random_pointer(), TURNS / 20);
	}
}

/* The page tables change all the time. */
KEPT void work_flip(void)
{
	while (!flipping_page)
		__asm__ volatile("" : : : "memory");
	for (;;) {
		map(pages[3], 0);
		BURN(4);
		map(pages[3], flipping_page);
		BURN(4);
	}
}
