/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ARM guest finds when Xen enters it, and how its further vCPUs begin. */
#include "../guest.h"
#include "layout.h"

/* On blocks, where the mode has them. */
uint8_t stacks[MAX_VCPUS][STACK] __attribute__((aligned(4096), section(".big")));

extern char start_secondary_physical[];

/*
 * The Flattened Devicetree: a header of big-endian words, the blocks of structure and of strings (its specification,
 * 5).
 */
static uint32_t word(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int same(const uint8_t *a, const char *b)
{
	while (*a && *a == (uint8_t)*b)
		a++, b++;
	return *a == (uint8_t)*b;
}

enum { NODE_BEGIN = 1, NODE_END, PROPERTY, NOTHING, END = 9 };

/* The first property @name of any node, as text; "" if there is none. */
static const char *property(const uint8_t *tree, const char *name)
{
	const uint8_t *at = tree + word(tree + 8), *strings = tree + word(tree + 12);

	for (uint32_t token; (token = word(at)) != END;) {
		at += 4;
		if (token == NODE_BEGIN) {
			while (*at)
				at++;
			at++;
		} else if (token == PROPERTY) {
			if (same(strings + word(at + 4), name))
				return (const char *)at + 8;
			at += 8 + word(at);
		}
		at += -(uintptr_t)at & 3;
	}
	return "";
}

const char *boot_begin(void *boot)
{
	return property((const uint8_t *)((uintptr_t)boot - RAM + BASE), "bootargs");
}

/*
 * By PSCI's CPU_ON (Arm DEN 0022), which Xen carries out. The vCPU begins with the MMU off, its number as first
 * argument.
 */
void start_vcpu(long vcpu)
{
#ifdef __aarch64__
	register long x0 __asm__("x0") = 0xc4000003;
	register long x1 __asm__("x1") = vcpu;
	register long x2 __asm__("x2") = PHYSICAL((long)start_secondary_physical);
	register long x3 __asm__("x3") = vcpu;

	__asm__ volatile(CALL " #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
#else
	register long x0 __asm__("r0") = (long)0x84000003;
	register long x1 __asm__("r1") = vcpu;
	register long x2 __asm__("r2") = PHYSICAL((long)start_secondary_physical);
	register long x3 __asm__("r3") = vcpu;

	__asm__ volatile(".arch_extension virt\n\t" CALL " #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
#endif
	if (x0 != 0)
		crash();
}
