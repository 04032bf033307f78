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
 * Records, for the watchdog process, whether the recorder holds a domain paused. The hypervisor itself writes it in the
 * calls that pause and resume, where it can, so that it is right whenever the recorder may be stopped or killed. The
 * content is the backend's own; all zero means that no pause is held.
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

	/* What the hypervisor knows of domain @domid: one hypercall. -ESRCH: there is no such domain. */
	int (*find)(struct hypervisor *x, uint32_t domid, struct guest_info *info);
	/*
	 * All domains, by ascending domid: *domains, @n of them, which the caller frees. A hypercall for each domain.
	 * It may ask other programs (Xen from 4.18: xenstore) and so may block: not for the sampling thread.
	 * 0 or a negative errno.
	 */
	int (*list)(struct hypervisor *x, struct guest_info **domains, size_t *n);
	/* The domain's name; -ENOENT if it is not known. May block, as list(). */
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

	/* What the hypervisor knows of the domain: one hypercall. -ESRCH: it is gone. */
	int (*info)(struct guest *g, struct guest_info *info);
	/*
	 * Lays out the next stop(), which will not read the registers of the vCPUs in @asleep (bits; NULL: of none). To
	 * be called before each stop(), while the guest runs.
	 */
	void (*prepare)(struct guest *g, const uint64_t *asleep);
	/*
	 * Pauses the guest and reads run states and registers of its vCPUs, by one call. 0: the guest is paused, and
	 * resume() must follow. Negative errno: it is not paused. Positive errno: it is paused, and resume() must
	 * follow, but it could not be read.
	 */
	int (*stop)(struct guest *g);
	/*
	 * What the last stop() has read. Makes no call, so it can wait until the guest runs again. @before is the
	 * domain's information from just before the pause. Fills info->vcpus entries of @vcpus; the registers of
	 * sleeping and unwanted vCPUs stay as they are.
	 */
	void (*collect)(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus);
	/*
	 * Undoes the pause of stop(). -EINVAL: somebody else has undone it. -ECANCELED: spoil() came first, and the
	 * guest is still paused.
	 */
	int (*resume)(struct guest *g);
	/* From now on the pauses of @g are recorded in @m, which is set to zero and must outlive the last stop(). */
	void (*mark_at)(struct guest *g, struct pause_mark *m);
	/* One vCPU's registers while the guest runs, to find its pages before the first stop(). */
	int (*peek)(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs);

	/*
	 * For the watchdog, about the pauses that another process recorded in @m: is one in force? A backend that marks
	 * pauses itself, before and after its calls, does not know next to a call: there it says no, or yes if that
	 * process is @dead, so that no pause is left behind.
	 */
	bool (*is_marked)(const struct pause_mark *m, bool dead);
	/*
	 * Has that process's resume() fail with -ECANCELED, unless the hypervisor has begun to carry it out. False:
	 * this backend cannot.
	 */
	bool (*spoil)(struct pause_mark *m);
	/* Undoes one pause of the domain, whoever made it. -EINVAL: it is not paused. */
	int (*unpause)(struct guest *g);
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
