/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame and stack pointers that lead a reader astray, one after the other; page tables that are their own memory, and
 * change all the time if another vCPU does work_flip(). As tests/xen/guests/hostile.inc, which needs hypercalls.
 */
#include "guest.h"

#define TURNS 200000u
#define NOWHERE 0x100000000000ull /* not mapped */
/*
 * Mapped, but no memory: there is none, or the registers of a network card (Intel 82540EM), of which this one tells why
 * it has interrupted, once.
 */
#define DEVICE 0x30000000ull
#define CAUSES 0xc0u
#define FLIPPING 3u /* of pml4: the tables themselves, now and then */
#define FLIPPED ((uint64_t)FLIPPING << 39)
#define BY_DEVICE 4u /* of pml4: the device, as if it were tables */

void work_hostile(void);
void work_flip(void);

struct frame {
	uint64_t caller, ret;
};

static struct frame loop = {(uint64_t)&loop, 0x1111};
static struct frame cycle[2] = {{(uint64_t)&cycle[1], 0x2222}, {(uint64_t)&cycle[0], 0x3333}};
static struct frame down[2] = {{0, 0x4444}, {(uint64_t)&down[0], 0x5555}};
static struct frame endless[2000];
extern volatile uint64_t pml4[512];

/* Spins with the register as @value says. Nothing interrupts this guest. */
#define SPIN(name, reg) \
	KEPT static void name(uint64_t value) \
	{ \
		uint32_t turns = TURNS; \
\
		__asm__ volatile("xchgq %0, %%" reg "\n" \
		                 "1:\tdecl %1\n" \
		                 "\tjnz 1b\n" \
		                 "\txchgq %0, %%" reg \
		                 : "+r"(value), "+r"(turns) \
		                 : \
		                 : "memory"); \
	}

SPIN(fp_loop, "rbp")
SPIN(fp_cycle, "rbp")
SPIN(fp_down, "rbp")
SPIN(fp_odd, "rbp")
SPIN(fp_nowhere, "rbp")
SPIN(fp_outside, "rbp")
SPIN(fp_by_outside, "rbp")
SPIN(fp_endless, "rbp")
SPIN(fp_tables, "rbp")
SPIN(fp_flipping, "rbp")
SPIN(fp_random, "rbp")
SPIN(sp_odd, "rsp")
SPIN(sp_outside, "rsp")
SPIN(sp_random, "rsp")

static uint64_t random_pointer(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	/* Half of them near to something, which is where the mistakes are. */
	return x & 1 ? (uint64_t)endless + x % sizeof(endless) : x;
}

KEPT void work_hostile(void)
{
	for (unsigned i = 0; i < sizeof(endless) / sizeof(*endless); i++)
		endless[i] = (struct frame){(uint64_t)&endless[i + 1], 0x8888};
	pml4[BY_DEVICE] = DEVICE | 7;
	for (;;) {
		fp_loop((uint64_t)&loop);
		fp_cycle((uint64_t)&cycle[0]);
		fp_down((uint64_t)&down[1]);
		fp_odd((uint64_t)&loop + 2);
		fp_nowhere(NOWHERE);
		fp_outside(DEVICE + CAUSES);
		fp_by_outside((uint64_t)BY_DEVICE << 39 | (uint64_t)(CAUSES / sizeof(*pml4)) << 30);
		fp_endless((uint64_t)&endless[0]);
		fp_tables((uint64_t)&pml4[0]);
		fp_flipping(FLIPPED);
		fp_random(random_pointer());
		sp_odd((uint64_t)&loop + 3);
		sp_outside(DEVICE + CAUSES);
		sp_random(random_pointer());
	}
}

KEPT void work_flip(void)
{
	for (;;) {
		pml4[FLIPPING] = (uint64_t)pml4 | 7;
		BURN(1);
		pml4[FLIPPING] = 0;
		BURN(1);
	}
}
