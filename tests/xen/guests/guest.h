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

/*
 * A variable on the stack, which makes compilers give a leaf its frame; else in a register, where it needs none.
 * ARM32's leaves keep the return address in its register all the same, unless that is taken for something else.
 */
#ifdef FRAMES_IN_LEAVES
#define LOCAL volatile
#else
#define LOCAL
#endif
#if defined(FRAMES_IN_LEAVES) && defined(__arm__)
#define TAKES_LINK "lr",
#else
#define TAKES_LINK
#endif

#ifdef PAE
/*
 * QEMU 7.2 marks entries of the highest table as accessed when it looks up a page. The bit is reserved there, and Xen
 * refuses to decode an instruction by such a table: to be called before each that Xen carries out, with CLEARED in the
 * same assembly, so that no other page is looked up between them.
 */
extern volatile uint64_t pae_root[4];
#define CLEARED "andl $~0x20, pae_root + 24\n\t"
static inline __attribute__((always_inline)) void before_hypercall(void)
{
	for (int i = 0; i < 4; i++)
		pae_root[i] &= ~0x20ull;
}
#else
#define CLEARED ""
static inline void before_hypercall(void)
{
}
#endif

#if defined(__aarch64__) || defined(__arm__)
/* The timer's: 62.5 MHz, or 1 GHz on newer processors. */
static inline unsigned long cycles_per_second(void)
{
	unsigned long frequency;

#ifdef __aarch64__
	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
#else
	__asm__("mrc p15, 0, %0, c14, c0, 0" : "=r"(frequency));
#endif
	return frequency;
}
#define UNIT_CYCLES (cycles_per_second() / 1000)
#define LEAP_CYCLES (UNIT_CYCLES / 50)

static inline uint64_t tsc(void)
{
	uint64_t count;

#ifdef __aarch64__
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
#else
	__asm__ volatile("mrrc p15, 1, %Q0, %R0, c14" : "=r"(count));
#endif
	return count;
}

/* User mode must ask the guest's own kernel, which is arm/start.S, to call. */
#ifdef USER
#define CALL "svc"
#else
#define CALL "hvc"
#endif

static inline __attribute__((always_inline)) long hypercall(long nr, long a, long b, long c)
{
#ifdef __aarch64__
	register long x16 __asm__("x16") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;

	__asm__ volatile(CALL " #0xea1" : "+r"(x16), "+r"(x0), "+r"(x1), "+r"(x2) : : "memory");
#else
	register long r12 __asm__("r12") = nr, x0 __asm__("r0") = a, x1 __asm__("r1") = b, x2 __asm__("r2") = c;

	__asm__ volatile(".arch_extension virt\n\t" CALL " #0xea1"
	                 : "+r"(r12), "+r"(x0), "+r"(x1), "+r"(x2)
	                 :
	                 : TAKES_LINK "memory");
#endif
	return x0;
}
#else
#ifndef UNIT_CYCLES
#define UNIT_CYCLES 1000000u /* a millisecond of the TSC */
#endif
#define LEAP_CYCLES 20000u

static inline uint64_t tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Inlined, so that the instruction pointer of a vCPU that is blocked in one stands in the function that makes it. */
static inline __attribute__((always_inline)) long hypercall(long nr, long a, long b, long c)
{
#if defined(PV)
	__asm__ volatile("syscall"
	                 : "+a"(nr), "+D"(a), "+S"(b), "+d"(c)
	                 :
	                 : "rcx", "r11", "r10", "r8", "r9", "memory");
#elif defined(__x86_64__)
	__asm__ volatile("vmmcall"
	                 : "+a"(nr), "+D"(a), "+S"(b), "+d"(c)
	                 :
	                 : "rcx", "r11", "r10", "r8", "r9", "memory");
#else
	before_hypercall();
	__asm__ volatile(CLEARED "vmmcall" : "+a"(nr), "+b"(a), "+c"(b), "+d"(c) : : "memory");
#endif
	return nr;
}
#endif

#define MAX_VCPUS 8

/* What differs between the ways of booting: pv/, hvm/, arm/. Gives the command line. */
const char *boot_begin(void *boot);
void start_vcpu(long vcpu);
/*
 * What VCPUOP_initialise wants for a vCPU that is to begin in _start_secondary(), with its number; valid until the
 * next call.
 */
void *vcpu_context(long vcpu);

_Noreturn void crash(void);

/*
 * Spends @units of time in the function this stands in; inlined, for a helper would be the leaf. Only time in which it
 * ran counts: while the guest is paused or waits for a processor the TSC goes on in leaps, which are left out. A unit
 * is short, so that a recording sees many turns of the work also where a guest runs for a fifth of the time: of N
 * turns, the one that is cut off changes a share of 60 % by up to 24/N points.
 */
#define BURN(units) \
	do { \
		const uint64_t wanted = (uint64_t)(units)*UNIT_CYCLES, leap = LEAP_CYCLES; \
		uint64_t last = tsc(), spent = 0; \
		while (spent < wanted) { \
			for (LOCAL int spin = 0; spin < 50; spin++) \
				__asm__ volatile("" : : : TAKES_LINK "cc"); \
			uint64_t now = tsc(); \
			spent += now - last < leap ? now - last : 0; \
			last = now; \
		} \
	} while (0)

/* Keeps a call from becoming a jump. */
#define AFTER_CALL() __asm__ volatile("")

/* Of PV guests: the machine frame of a page of the guest's own image, and of its top page table. */
uint64_t mfn_of(const void *address);
uint64_t root_mfn(void);
/* Of PV guests: Xen's clock, of the first vCPU. */
struct vcpu_time_info;
const volatile struct vcpu_time_info *xen_clock(void);

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
void work_hostile(void);
void work_flip(void);
void work_lockstep(uint64_t cycle_ns);
void work_spaces(void);

#endif
