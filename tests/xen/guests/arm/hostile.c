/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, page tables that change and point outside, and memory that is
 * given back and fetched again, one after the other. What a walk must make of each is in arm_hostile.t.
 */
#include "../guest.h"
#include "layout.h"

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

enum { FIRST, SECOND, FLIPPING, OUTSIDE, MOVING };
static unsigned long pages[5][PAGE / sizeof(long)] __attribute__((aligned(PAGE)));

static unsigned long physical(const volatile void *address)
{
	return PHYSICAL((unsigned long)address);
}

#if defined(GRANULE) && GRANULE == 12
#define NOWHERE_FP ((unsigned long)BASE + 0x40000000)
#define OUTSIDE_FP ((unsigned long)pages[OUTSIDE])
extern volatile uint64_t level_3[];

static void map(const void *address, uint64_t entry)
{
	level_3[((unsigned long)address - BASE) / PAGE] = entry;
	__asm__ volatile("dsb ish\n tlbi vmalle1is\n dsb ish\n isb" : : : "memory");
}

static void lay_tables(void)
{
	map(pages[OUTSIDE], 0x7ffffff000 | 0x703);
}

static void flip(int there)
{
	map(pages[FLIPPING], there ? physical(pages[FLIPPING]) | 0x703 : 0);
}
#else
#define NOWHERE_FP 0xfffff000ul
#define OUTSIDE_FP 0x90000000ul

static void lay_tables(void)
{
}

static void flip(int there)
{
	(void)there;
}
#endif

static void others(void)
{
}

#include "../hostile.inc"
