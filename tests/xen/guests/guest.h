/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h - what the lab's guests share. Every guest's stacks and the share of time each one owns are known: see
 * truth/. Time is burnt by the TSC, not by counting calls, inside the function that is to own it.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdint.h>

/* A function that is there, by its own name, with a frame of its own. */
#define KEPT __attribute__((noinline, noclone, noipa, used))

static inline uint64_t tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline long hypercall(long nr, long a, long b, long c)
{
	register long rax __asm__("rax") = nr;

	__asm__ volatile("syscall"
	                 : "+r"(rax), "+D"(a), "+S"(b), "+d"(c)
	                 :
	                 : "rcx", "r11", "r10", "r8", "r9", "memory");
	return rax;
}

/* A variable on the stack, which makes compilers give a leaf its frame; else in a register, where it needs none. */
#ifdef FRAMES_IN_LEAVES
#define LOCAL volatile
#else
#define LOCAL
#endif

/*
 * Spends @units of time in the function this stands in; inlined, for a helper would be the leaf. Only time in which it
 * ran counts: while the guest is paused or waits for a processor the TSC goes on in leaps, which are left out.
 */
#define UNIT_CYCLES 4000000u
#define LEAP_CYCLES 20000u
#define BURN(units) \
	do { \
		uint64_t last = tsc(), spent = 0; \
		while (spent < (uint64_t)(units)*UNIT_CYCLES) { \
			for (LOCAL int spin = 0; spin < 50; spin++) \
				__asm__ volatile(""); \
			uint64_t now = tsc(); \
			spent += now - last < LEAP_CYCLES ? now - last : 0; \
			last = now; \
		} \
	} while (0)

/* Keeps a call from becoming a jump. */
#define AFTER_CALL() __asm__ volatile("")

struct start_info;
/* The machine frame of a page of the guest's own image. */
uint64_t mfn_of(const struct start_info *si, const void *address);

/* Workloads; none returns. */
void work_shares(void);
void work_levels(void);
void work_recursion(void);
void work_depth(unsigned frames);
void work_heartbeat(void);
void work_idle(void);
void work_leaves(void);
void work_styles(void);
void work_block(void);
void work_hostile(const struct start_info *si);
void work_flip(void);
struct vcpu_time_info;
void work_lockstep(const volatile struct vcpu_time_info *time, uint64_t cycle_ns);

#endif
