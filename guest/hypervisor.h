/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - the one interface between the sampler and a guest.
 *
 * A backend is one file that fills in struct hypervisor_ops and exports it as `hypervisor_backend`: xencall.c (the
 * default), libxc.c (older hosts), sim.c (simulated, for tests). A program links exactly one. Backends return 0 or a
 * negative errno and never print; open() alone explains itself in words.
 */
#ifndef GUEST_HYPERVISOR_H
#define GUEST_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_PAGE_SHIFT 12
#define GUEST_PAGE_SIZE 4096u

struct arch;
struct hypervisor; /* a connection to the hypervisor, of the backend */
struct guest;      /* a domain attached for sampling, of the backend */

/* What the hypervisor says of a domain. */
struct guest_info {
	uint32_t domid;
	uint8_t uuid[16];
	uint32_t vcpus;  /* highest vCPU number + 1; 0: none yet, the domain is being built */
	uint64_t cpu_ns; /* CPU time used by all its vCPUs */
	bool hvm, paused, dying, shutdown;
	uint8_t shutdown_code;
};

/* The registers a stack walk begins with. */
struct vcpu_regs {
	uint64_t ip, sp, fp;
	uint64_t root;    /* frame number of the page table root of the running address space */
	bool user;        /* in user mode */
	bool valid;       /* false: the vCPU was never brought up */
	uint64_t all[16]; /* by DWARF number; x86-64's rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15 */
};

/* One vCPU of a paused guest. */
struct vcpu_stop {
	struct vcpu_regs regs;
	uint64_t cpu_ns; /* CPU time used, final while the guest is paused */
	bool online, blocked;
	bool running; /* was on a CPU just before the pause */
};

/*
 * Where it stands whether a pause of ours is in force, for whoever outlives us. The hypervisor itself writes it where
 * it can, in the very calls that pause and resume: no instant lies between. What is in it is the backend's; zero is
 * no.
 */
struct pause_mark {
	uint64_t words[64];
};

struct hypervisor_ops {
	const char *name;

	/* NULL: one line for the user in @why: what is missing and what to do about it. */
	struct hypervisor *(*open)(char *why, size_t size);
	void (*close)(struct hypervisor *x);
	/* "Xen 4.17.7, domctl 0x15"; lives as long as the connection. */
	const char *(*version)(struct hypervisor *x);

	/* The domain with the lowest domid at or above @domid: -ESRCH if there is none. Up to Xen 4.17 one lock-free
	 * call; later ones only know the domain asked for, so that a search may take thousands. */
	int (*next)(struct hypervisor *x, uint32_t domid, struct guest_info *info);
	/* The domain's name; -ENOENT where none is to be had. */
	int (*domain_name)(struct hypervisor *x, uint32_t domid, char *name, size_t size);
	/* The domain this program runs in. */
	uint32_t (*own_domid)(struct hypervisor *x);

	/*
	 * Prepares @domid for sampling the vCPUs in @wanted (bits; NULL: all). Everything stop() needs is allocated
	 * here. NULL with errno: ENOTSUP for a kind of guest this backend cannot walk.
	 */
	struct guest *(*attach)(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted);
	void (*detach)(struct guest *g); /* unmaps nothing: the caller does that first */
	const struct arch *(*arch)(const struct guest *g);

	/* What info says now, one lock-free call; -ESRCH when the domain is gone. */
	int (*info)(struct guest *g, struct guest_info *info);
	/*
	 * Lays out what the next stop() does, which does not read the registers of the vCPUs in @asleep (bits; NULL:
	 * of none). Before each stop(), and outside of its pause.
	 */
	void (*prepare)(struct guest *g, const uint64_t *asleep);
	/*
	 * Pauses the guest and reads run states and registers, by one call. 0: the guest is paused and resume() is
	 * due, whatever else was found. Negative: not paused, except -EDEADLK: it is, and resuming it failed.
	 */
	int (*stop)(struct guest *g);
	/*
	 * What the last stop() read; makes no call, so it may wait until the guest runs again. *before is from just
	 * before the pause. Fills info->vcpus entries of @vcpus; the registers of unwanted and sleeping vCPUs stay as
	 * they are.
	 */
	void (*collect)(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus);
	/* Undoes our pause; -EINVAL: somebody else undid it before. */
	int (*resume)(struct guest *g);
	/* From now on the pauses of @g are marked at @m, which is set to zero, and must outlive its last stop(). */
	void (*mark_at)(struct guest *g, struct pause_mark *m);
	/* Is a pause in force that a dead process has left? */
	bool (*is_marked)(const struct pause_mark *m);
	/* One vCPU's registers without pausing the guest, for finding its pages ahead of a stop(). */
	int (*peek)(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs);

	/*
	 * Maps @n frames read-only, each by itself: pages[i] is NULL where the hypervisor refused. Never inside a
	 * pause.
	 */
	int (*map)(struct guest *g, const uint64_t *frames, size_t n, const void **pages);
	void (*unmap)(struct guest *g, const void *page);
};

extern const struct hypervisor_ops hypervisor_backend;

/* Memory for @n marks, shared with children made later, and fit for hypercalls. NULL: errno. */
struct pause_mark *marks_new(size_t n);
void marks_free(struct pause_mark *marks, size_t n);

#endif
