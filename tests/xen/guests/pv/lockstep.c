/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest with a rhythm: what it does depends on the time alone, by Xen's clock, which is dom0's, too. Each cycle is
 * divided among sixteen functions.
 *
 * Where the guest shares a processor with dom0, whose own timer may come at the same part of every cycle, the
 * functions' shares are not quite those of the cycle. So the guest counts for how long its vCPU was in each of them,
 * the times when it waited for the processor included: samples of a vCPU that runs or wants to run are of just these
 * times.
 */
#include "../guest.h"

#include <xen/xen.h>

#define PARTS 16
#define LONGEST_NS 5000000u /* a longer wait does not count: dom0 starts a program, and does not sample */

volatile uint64_t lockstep_ns[PARTS];

struct rhythm {
	const volatile struct vcpu_time_info *time;
	uint64_t cycle_ns, last_ns;
};

/* public/xen.h: ticks since tsc_timestamp, shifted, times mul, over 2^32, are ns. */
static inline __attribute__((always_inline)) uint64_t now_ns(const volatile struct vcpu_time_info *time)
{
	uint32_t version;
	uint64_t ns;

	do {
		uint64_t ticks;

		version = time->version;
		__asm__ volatile("" ::: "memory");
		ticks = tsc() - time->tsc_timestamp;
		ticks = time->tsc_shift < 0 ? ticks >> -time->tsc_shift : ticks << time->tsc_shift;
		ns = time->system_time + (uint64_t)((unsigned __int128)ticks * time->tsc_to_system_mul >> 32);
		__asm__ volatile("" ::: "memory");
	} while (version & 1 || version != time->version);
	return ns;
}

/* Stays in the function this stands in while the cycle is in its @n-th part. */
#define STAY(r, n) \
	do { \
		LOCAL uint64_t now; \
		do { \
			now = now_ns((r)->time); \
			lockstep_ns[n] += now - (r)->last_ns < LONGEST_NS ? now - (r)->last_ns : 0; \
			(r)->last_ns = now; \
		} while (now % (r)->cycle_ns * PARTS / (r)->cycle_ns == (n)); \
	} while (0)
#define PART(n) \
	KEPT static void part_##n(struct rhythm *r) \
	{ \
		STAY(r, n); \
	}

PART(0)
PART(1)
PART(2)
PART(3)
PART(4)
PART(5)
PART(6)
PART(7)
PART(8)
PART(9)
PART(10)
PART(11)
PART(12)
PART(13)
PART(14)
PART(15)

KEPT void work_lockstep(uint64_t cycle_ns)
{
	const volatile struct vcpu_time_info *time = xen_clock();
	static void (*const parts[PARTS])(struct rhythm *) = {part_0,  part_1,  part_2,  part_3, part_4,  part_5,
	                                                      part_6,  part_7,  part_8,  part_9, part_10, part_11,
	                                                      part_12, part_13, part_14, part_15};
	struct rhythm r = {time, cycle_ns, now_ns(time)};

	for (unsigned n = 0;; n = (n + 1) % PARTS)
		parts[n](&r);
}
