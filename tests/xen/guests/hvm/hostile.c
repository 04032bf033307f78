/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, page tables that do, memory that is given back and fetched
 * again, and other modes of the processor, one after the other. What a walk must make of each is in kinds_hostile.t.
 */
#include "../guest.h"

#include <xen/xen.h>
#include <xen/memory.h>

#define PAGE 4096
#define WORD sizeof(long)
#define TURNS 2000000

#if defined(LONG) || defined(PAE)
typedef uint64_t entry_t;
#define DIRECTORY directory
#define SPAN 0x200000ul
#define HIGHEST 0x000ffffffffff000ull
extern volatile entry_t directory[];
#else
typedef uint32_t entry_t;
#define DIRECTORY (page_tables + (BASE >> 22))
#define SPAN 0x400000ul
#define HIGHEST 0xfffff000u
#endif
#define UNTOUCHED 0x3000000u /* memory that the guest does not have, or not yet */
#define FREE_SLOT 200u       /* of the directory: far above the guest's memory */

extern volatile entry_t page_tables[], table[];

typedef void spinner(unsigned long, long);
spinner fp_loop, fp_cycle, fp_down, fp_odd, fp_nowhere, fp_over_pages, fp_into_hole, fp_endless, fp_outside, fp_tables,
	fp_flipping, fp_given_back, fp_moved_1, fp_moved_2, fp_untouched, fp_random, sp_odd, sp_outside, sp_top,
	sp_random, other_mode;

struct frame {
	unsigned long caller, ret;
};

static struct frame loop = {(unsigned long)&loop, 0x1111};
static struct frame cycle[2] = {{(unsigned long)&cycle[1], 0x2222}, {(unsigned long)&cycle[0], 0x3333}};
static struct frame down[2] = {{0, 0x4444}, {(unsigned long)&down[0], 0x5555}};
static struct frame endless[2000];
static unsigned long pages[6][PAGE / sizeof(long)] __attribute__((aligned(PAGE)));
static volatile int ready;

#define LAST (PAGE / WORD - 1) /* word of a page */
enum { FIRST, SECOND, HOLE, FLIPPING, OUTSIDE, MOVING };

static unsigned long physical(const volatile void *address)
{
	return (unsigned long)address - (unsigned long)BASE;
}

/* --- page tables -------------------------------------------------------------------------------------------------- */

static unsigned long spare[PAGE / sizeof(long)] __attribute__((aligned(PAGE)));

#ifdef FLAT
/* There are none: memory is where it is, or nowhere. */
#define NOWHERE_FP 0xfffff000ul
#define OUTSIDE_FP 0x80000000ul
static void lay_tables(void)
{
}

static void flip(int there)
{
	(void)there;
}

static unsigned long own_table(void)
{
	return (unsigned long)&spare[2];
}
#else
#define NOWHERE_FP ((unsigned long)BASE + (FREE_SLOT + 1) * SPAN)
#define OUTSIDE_FP ((unsigned long)pages[OUTSIDE])

static void map(const void *address, entry_t entry)
{
	table[physical(address) / PAGE] = entry;
	__asm__ volatile("invlpg %0" : : "m"(*(const char *)address) : "memory");
}

/* Every entry of the spare table is the table itself but the first ones; the directory has it as a table. */
static void lay_tables(void)
{
	volatile entry_t *own = (volatile entry_t *)spare;

	for (unsigned i = 5; i < PAGE / sizeof(entry_t); i++)
		own[i] = physical(spare) | 7;
	DIRECTORY[FREE_SLOT] = physical(spare) | 7;
	DIRECTORY[FREE_SLOT + 1] = 0;
	map(pages[HOLE], 0);
	map(pages[OUTSIDE], HIGHEST | 7);
}

static void flip(int there)
{
	map(pages[FLIPPING], there ? physical(pages[FLIPPING]) | 7 : 0);
}

/* The word before the first of those entries, in a page that is the table, by a table that is the same page. */
static unsigned long own_table(void)
{
	return (unsigned long)BASE + FREE_SLOT * SPAN + 5 * PAGE + 5 * sizeof(entry_t) - WORD;
}
#endif

static void lay_pages(void)
{
	pages[FIRST][LAST] = 0;
	pages[SECOND][0] = 0x6666;
	pages[SECOND][LAST] = 0;
	pages[FLIPPING][0] = 0;
	pages[FLIPPING][1] = 0x7777;
	for (unsigned i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		endless[i] = (struct frame){(unsigned long)&endless[i + 1], 0x8888};
	lay_tables();
}

/* --- memory that goes and comes ---------------------------------------------------------------------------------- */

static void memory_op(long op)
{
	xen_pfn_t frame = physical(pages[MOVING]) / PAGE;
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
	fetch(0x1001);
	fp_moved_1((unsigned long)pages[MOVING], TURNS);
	memory_op(XENMEM_decrease_reservation);
	fetch(0x2002);
	fp_moved_2((unsigned long)pages[MOVING], TURNS);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint32_t next_random(void)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13, x ^= x >> 17, x ^= x << 5;
	return x;
}

/* Half of them near to something, which is where the mistakes are. */
static unsigned long random_pointer(void)
{
	uint32_t r = next_random();

	if (r & 1)
		return (unsigned long)pages + r % (8 * PAGE);
	return (unsigned long)((uint64_t)next_random() << 32 | r);
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
		fp_into_hole((unsigned long)&pages[SECOND][LAST], TURNS);
		fp_endless((unsigned long)&endless[0], TURNS);
		fp_outside(OUTSIDE_FP, TURNS);
		fp_tables(own_table(), TURNS);
		fp_flipping((unsigned long)pages[FLIPPING], TURNS);
		move_memory();
		other_mode(0, TURNS);
		fp_untouched((unsigned long)BASE + UNTOUCHED, TURNS);
		for (int i = 0; i < 20; i++)
			fp_random(random_pointer(), TURNS / 20);
		sp_odd((unsigned long)&loop + 3, TURNS);
		sp_outside(OUTSIDE_FP, TURNS);
		sp_top(~0ul - 7, TURNS);
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
