/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, page tables that change and point outside, and memory that is
 * given back and fetched again, one after the other. What a walk must make of each is in arm_hostile.t.
 */
#include "../guest.h"
#include "layout.h"

#include <xen/xen.h>
#include <xen/memory.h>

#define PAGE 4096
#define WORD sizeof(long)
#define LAST (PAGE / WORD - 1) /* word of a page */
#define TURNS 2000000ul

/* Leaves that spin with a register as the first argument says, so many turns as the second does. */
#ifdef __aarch64__
#define FP "x29"
#define SPIN_CODE(reg) "mov x9, " reg "\n mov " reg ", x0\n 1: subs x1, x1, #1\n b.ne 1b\n mov " reg ", x9\n ret\n"
#else
#define FP "r11"
#define SPIN_CODE(reg) "mov r2, " reg "\n mov " reg ", r0\n 1: subs r1, r1, #1\n bne 1b\n mov " reg ", r2\n bx lr\n"
#endif
#define SPIN(name, reg) \
	void name(unsigned long value, unsigned long turns); \
	__asm__(".pushsection .text\n .globl " #name "\n .type " #name ", %function\n" #name \
	        ":\n" SPIN_CODE(reg) ".size " #name ", . - " #name "\n .popsection\n")

SPIN(fp_loop, FP);
SPIN(fp_cycle, FP);
SPIN(fp_down, FP);
SPIN(fp_odd, FP);
SPIN(fp_nowhere, FP);
SPIN(fp_over_pages, FP);
SPIN(fp_endless, FP);
SPIN(fp_outside, FP);
SPIN(fp_flipping, FP);
SPIN(fp_given_back, FP);
SPIN(fp_moved_1, FP);
SPIN(fp_moved_2, FP);
SPIN(fp_random, FP);
SPIN(sp_odd, "sp");
SPIN(sp_outside, "sp");
SPIN(sp_random, "sp");

struct frame {
	unsigned long caller, ret;
};

static struct frame loop = {(unsigned long)&loop, 0x1111};
static struct frame cycle[2] = {{(unsigned long)&cycle[1], 0x2222}, {(unsigned long)&cycle[0], 0x3333}};
static struct frame down[2] = {{0, 0x4444}, {(unsigned long)&down[0], 0x5555}};
static struct frame endless[2000];
enum { FIRST, SECOND, FLIPPING, OUTSIDE, MOVING };
static unsigned long pages[5][PAGE / sizeof(long)] __attribute__((aligned(PAGE)));
static volatile int ready;

#if defined(GRANULE) && GRANULE == 12
#define NOWHERE_FP ((unsigned long)BASE + 0x40000000)
#define OUTSIDE_FP ((unsigned long)pages[OUTSIDE])
extern volatile uint64_t level_3[];

static void map(const void *address, uint64_t entry)
{
	level_3[((unsigned long)address - BASE) / PAGE] = entry;
	__asm__ volatile("dsb ish\n tlbi vmalle1is\n dsb ish\n isb" : : : "memory");
}

static void flip(int there)
{
	map(pages[FLIPPING], there ? PHYSICAL((unsigned long)pages[FLIPPING]) | 0x703 : 0);
}
#else
#define NOWHERE_FP 0xfffff000ul
#define OUTSIDE_FP 0x90000000ul

static void map(const void *address, uint64_t entry)
{
	(void)address, (void)entry;
}

static void flip(int there)
{
	(void)there;
}
#endif

static void lay_pages(void)
{
	pages[FIRST][LAST] = 0;
	pages[SECOND][0] = 0x6666;
	pages[FLIPPING][0] = 0;
	pages[FLIPPING][1] = 0x7777;
	for (unsigned i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		endless[i] = (struct frame){(unsigned long)&endless[i + 1], 0x8888};
	map(pages[OUTSIDE], 0x7ffffff000 | 0x703);
}

static void memory_op(long op)
{
	xen_pfn_t frame = PHYSICAL((unsigned long)pages[MOVING]) / PAGE;
	struct xen_memory_reservation r = {.nr_extents = 1, .domid = DOMID_SELF};

	set_xen_guest_handle(r.extent_start, &frame);
	if (hypercall(__HYPERVISOR_memory_op, op, (long)&r, 0) != 1)
		crash();
}

static void fetch(unsigned long marker)
{
	memory_op(XENMEM_populate_physmap);
	pages[MOVING][0] = 0;
	pages[MOVING][1] = marker;
}

/* The page's frame is other memory each time: by a mapping of the old one a reader would see the old marker. */
static void move_memory(void)
{
	memory_op(XENMEM_decrease_reservation);
	fp_given_back((unsigned long)pages[MOVING], TURNS);
	fetch(0x1110);
	fp_moved_1((unsigned long)pages[MOVING], TURNS);
	memory_op(XENMEM_decrease_reservation);
	fetch(0x2220);
	fp_moved_2((unsigned long)pages[MOVING], TURNS);
}

/* Half of them near to something, which is where the mistakes are. */
static unsigned long random_pointer(void)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13, x ^= x >> 17, x ^= x << 5;
	return x & 1 ? (unsigned long)pages + x % (6 * PAGE) : (unsigned long)((uint64_t)x << 32 | x * 2654435761u);
}

KEPT void work_hostile(void)
{
	lay_pages();
	ready = 1;
	for (;;) {
		fp_loop((unsigned long)&loop, TURNS);
		fp_cycle((unsigned long)&cycle[0], TURNS);
		fp_down((unsigned long)&down[1], TURNS);
		fp_odd((unsigned long)&loop + 2, TURNS);
		fp_nowhere(NOWHERE_FP, TURNS);
		fp_over_pages((unsigned long)&pages[FIRST][LAST], TURNS);
		fp_endless((unsigned long)&endless[0], TURNS);
		fp_outside(OUTSIDE_FP, TURNS);
		fp_flipping((unsigned long)pages[FLIPPING], TURNS);
		move_memory();
		for (int i = 0; i < 20; i++)
			fp_random(random_pointer(), TURNS / 20);
		sp_odd((unsigned long)&loop + 3, TURNS);
		sp_outside(OUTSIDE_FP, TURNS);
		for (int i = 0; i < 20; i++)
			sp_random(random_pointer(), TURNS / 20);
	}
}

/* The page tables change all the time. */
KEPT void work_flip(void)
{
	while (!ready)
		__asm__ volatile("" : : : "memory");
	for (;;) {
		flip(0);
		BURN(1);
		flip(1);
		BURN(1);
	}
}
