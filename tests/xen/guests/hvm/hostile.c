/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, page tables that do, memory that is given back and fetched
 * again, and other modes of the processor, one after the other. What a walk must make of each is in kinds_hostile.t.
 */
#include "../guest.h"

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

static unsigned long pages[6][PAGE / sizeof(long)] __attribute__((aligned(PAGE)));

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

/* What only x86 has. */
static void others(void)
{
	fp_into_hole((unsigned long)&pages[SECOND][LAST], TURNS);
	fp_tables(own_table(), TURNS);
	other_mode(0, TURNS);
	fp_untouched((unsigned long)BASE + UNTOUCHED, TURNS);
	sp_top(~0ul - 7, TURNS);
}

#include "../hostile.inc"
