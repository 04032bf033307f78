/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim.h - a simulated hypervisor for tests. The test itself builds the page tables and stacks of the domains, and
 * changes their state. The simulation counts every call and checks the rule that, while a guest is paused, nothing but
 * its resume is called.
 */
#ifndef TESTS_SIM_H
#define TESTS_SIM_H

#include "guest/hypervisor.h"

#define SIM_FRAMES 1024 /* of memory a domain has, numbered from 1 */
#define SIM_VCPUS 8

struct sim_domain {
	struct guest_info info;
	const char *name;         /* NULL: none */
	const char *absent_until; /* the domain is there while this file is; NULL: always */
	bool unsupported;         /* attach() refuses it: another kind of guest */
	struct vcpu_stop vcpu[SIM_VCPUS];
	uint8_t (*memory)[GUEST_PAGE_SIZE]; /* SIM_FRAMES of them; allocated at the first use */
	uint32_t used;                      /* frames handed out by sim_page() */
	uint64_t refused;                   /* a frame that cannot be mapped; 0: none */
	uint64_t moved, moved_to;           /* a frame that has become other memory; 0: none */

	/* What the hypervisor counts as one figure: pauses by stop(), and pauses of somebody else's. */
	_Atomic unsigned our_pauses, foreign_pauses;
	int stop_error;       /* what stop() is to fail with, 0: not at all; above 0: paused all the same */
	uint64_t held_ns;     /* what held the guest in a stop() that fails ends so long after it */
	bool steal_pause;     /* somebody undoes our pause at the next resume() */
	unsigned long freeze; /* at this stop() the process stops itself, with the guest paused; 0: never */
	/* On a simulated clock the first vCPU runs for @run_ns of each @period_ns, but not while paused; 0: not so. */
	uint64_t run_ns, period_ns, followed_ns;
	/* Called at each stop(), before anything is read, to change what the guest does. */
	void (*tick)(struct sim_domain *d, void *ctx);
	/* Called at each resume(), before anything is done. */
	void (*on_resume)(struct sim_domain *d, void *ctx);
	void *ctx;

	/* counted: */
	unsigned long stops, resumes, infos, contexts, maps, unmaps, mapped;
	unsigned long batches;        /* calls about several domains of which this one was the first */
	_Atomic unsigned long broken; /* rules broken */
};

/*
 * The world the next open() finds: @n domains in the order of their domids. NULL: a default world, with "busy",
 * "idle", "paused", "hvm", "twins" twice, "frameless" and "refused", in memory shared with processes forked later.
 * There the environment variable UNIPROF_SIM_FREEZE=N sets @freeze of "busy". UNIPROF_SIM_BORN=FILE adds "born", a
 * domain that its creator leaves paused, while FILE is there. UNIPROF_SIM_ALIVE=FILE: so long "idle" is there.
 * UNIPROF_SIM_CRASHED adds "crashed". UNIPROF_SIM_IDLE=N adds N domains that sleep, from number 101 on.
 * UNIPROF_SIM_RESET=N: at the Nth stop of "frameless" its kernel is another one.
 * UNIPROF_SIM_PULSE adds "pulse", which on a simulated clock (tests/sim/clock.h) runs for 30 ms of each 100. On such a
 * clock calls take so many ns of it as the environment says: UNIPROF_SIM_ASK_NS info(); UNIPROF_SIM_STOP_NS stop(),
 * before the guest is paused, UNIPROF_SIM_READ_NS thereafter (a list: one after the other, again and again);
 * UNIPROF_SIM_RESUME_NS resume().
 * Returns what open() will.
 */
struct hypervisor *sim_world(struct sim_domain *domains, size_t n);
/* Makes @d domain 1, of one vCPU and alone in its world, and attaches to it. */
struct guest *sim_guest(struct sim_domain *d);

/* The frame of the page at virtual @address under @root; page and page tables are added if they are missing. */
uint64_t sim_page(struct sim_domain *d, uint64_t root, uint64_t address);
/* Adds an empty address space. Returns the frame of its root. */
uint64_t sim_space(struct sim_domain *d);
/* Writes one word of the guest's memory. */
void sim_poke(struct sim_domain *d, uint64_t root, uint64_t address, uint64_t word);
/* Writes a chain of @n stack frames from frame pointer @fp upwards; the last saved frame pointer is 0. */
void sim_stack(struct sim_domain *d, uint64_t root, uint64_t fp, const uint64_t *returns, size_t n);
void sim_free(struct sim_domain *d);

#endif
