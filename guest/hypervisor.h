/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - the only interface between the sampler and a hypervisor: find a guest, attach to it, pause it and
 * read its registers, map its memory, resume it.
 *
 * A backend fills in struct hypervisor_ops: xenif/xencall.c, xenif/libxc.c (older hosts),
 * kvmif/kvm.c, tests/sim/sim.c (simulated, for tests). A program has a table of those it was linked with: `hypervisors`.
 * Functions return 0 or a negative errno and never print; only open() gives its reason in words. A connection and
 * the guests attached by it belong to one thread.
 *
 * "One hypercall" in a comment is a cost, not a promise to return soon: on Xen, every call that concerns a domain
 * takes one lock of the hypervisor's (domctl_lock), and is repeated until it gets it.
 */
#ifndef GUEST_HYPERVISOR_H
#define GUEST_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_PAGE_SHIFT 12
#define GUEST_PAGE_SIZE 4096u
#define GUEST_MAP_MAX 64u /* pages that one map() maps */

struct arch;         /* guest/arch.h */
struct register_set; /* common/registers.h */

struct hypervisor; /* a connection to the hypervisor; defined by the backend */
struct guest;      /* a domain attached for sampling; defined by the backend */

/* What sort of virtual machine a domain is. The values are those of the trace (enum upf_kind). */
enum guest_kind { GUEST_UNKNOWN = 0, GUEST_PV, GUEST_PVH, GUEST_HVM, GUEST_ARM, GUEST_KVM };

/* The instruction sets. The values are those of the trace (enum upf_arch). */
enum arch_id { ARCH_UNKNOWN = 0, ARCH_X86_64, ARCH_X86_32, ARCH_ARM64, ARCH_ARM32, ARCH_X86_16 };

/* What the hypervisor knows of a domain. */
struct guest_info {
	uint32_t domid;
	uint8_t uuid[16];
	uint32_t vcpus;  /* highest vCPU number + 1; 0: none yet, the domain is under construction */
	uint64_t cpu_ns; /* CPU time used by all its vCPUs */
	uint64_t pages;  /* of memory that it has; changes when it gives some back or gets some */
	enum guest_kind kind;
	bool paused, dying, shutdown;
	uint8_t shutdown_code;
};

/*
 * What addresses are translated by; which words count, and how, is up to the struct arch beside it. The first word
 * tells address spaces apart.
 */
struct space_root {
	union {
		uint64_t cr3; /* x86: address of the first page table, without flags; PV guests: machine address */
		struct {
			uint64_t ttbr0, ttbr1, tcr, sctlr;
		} arm;
	};
};

/* The registers that a stack walk starts from, as linear addresses: segment bases are added. */
struct vcpu_regs {
	uint64_t ip, sp, fp;     /* fp is 0 if the register is */
	uint64_t link;           /* the link register, where there is one */
	const struct arch *arch; /* the mode that the vCPU is in now; set if @valid */
	struct space_root root;  /* the running address space */
	/* The segments' bases, mostly 0: what a stack holds of addresses is without them. */
	uint64_t code_base, stack_base;
	/*
	 * x86, where it is known: the address of the interrupt table, or that of the handler for vector 0 itself. 0:
	 * not.
	 */
	uint64_t interrupt_table, first_handler;
	bool user;  /* in user mode */
	bool valid; /* false: the vCPU was never brought up */
	/*
	 * By the DWARF numbers of the instruction set: x86-64's rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15;
	 * i386's eax, ecx, edx, ebx, esp, ebp, esi, edi; ARM64's x0 to x30 and sp; ARM32's r0 to r14.
	 */
	uint64_t all[32];
};

/* One vCPU of a paused guest. */
struct vcpu_stop {
	struct vcpu_regs regs;
	uint64_t cpu_ns; /* CPU time used, final while the guest is paused */
	bool online, blocked;
	bool running; /* on a CPU just before the pause */
	bool in_vmm; /* its thread was busy in the virtual machine monitor, not in the guest: there are no registers */
};

/*
 * Records, for the watchdog process, whether the recorder holds a domain paused. The hypervisor itself writes it in
 * the calls that pause and resume, where it can, so that it is right whenever the recorder may be stopped or killed.
 * The content is the backend's own; all zero means that no pause is held.
 */
struct pause_mark {
	uint64_t words[64];
};

struct iovec;

/* Called before each stop that is not by stop(), and when it is over, so that a watchdog can end that, too. */
struct stop_guard {
	void (*begin)(void *ctx);
	void (*end)(void *ctx);
	void *ctx;
};

struct hypervisor_ops {
	const char *name;
	const char *prefix; /* of a domain's name or number on the command line, where it is ambiguous: "xen:3" */
	/* What stopping and reading a guest needs when all is open: a bit each (capabilities(7)). */
	uint64_t capabilities;

	/* Connects to the hypervisor. NULL: @why is one line for the user, what is missing and what to do about it. */
	struct hypervisor *(*open)(char *why, size_t size);
	void (*close)(struct hypervisor *x);
	/* Such as "Xen 4.17.7, domctl 0x15"; valid as long as the connection. */
	const char *(*version)(struct hypervisor *x);

	/* What the hypervisor knows of domain @domid: one hypercall. -ESRCH: there is no such domain. */
	int (*find)(struct hypervisor *x, uint32_t domid, struct guest_info *info);
	/*
	 * All domains, by ascending domid: *domains, @n of them, which the caller frees. A hypercall for each domain.
	 * It may ask other programs (Xen from 4.18: xenstore) and so may block: not for the sampling thread.
	 * 0 or a negative errno.
	 */
	int (*list)(struct hypervisor *x, struct guest_info **domains, size_t *n);
	/*
	 * The same for a search for a domain named @name that comes back: without those that have another name, or that
	 * are another one of this name as they were there at @since_ns (CLOCK_MONOTONIC), when that one was, too.
	 * NULL: list() is as good.
	 */
	int (*list_returned)(struct hypervisor *x, const char *name, uint64_t since_ns, struct guest_info **domains,
	                     size_t *n);
	/* The domain's name; -ENOENT if it is not known. May block, as list(). */
	int (*domain_name)(struct hypervisor *x, uint32_t domid, char *name, size_t size);
	/* The command of the process that runs the domain: 0 or a negative errno. NULL: there is none. */
	int (*monitor)(struct hypervisor *x, uint32_t domid, char *name, size_t size);
	/*
	 * In words for the user, what there is in place of a domain of this name or number, which was not found; "":
	 * nothing. NULL: this backend has none.
	 */
	void (*explain_absence)(struct hypervisor *x, const char *operand, char *text, size_t size);
	/* The domain that this program runs in. */
	uint32_t (*own_domid)(struct hypervisor *x);

	/*
	 * Prepares a domain for sampling the vCPUs in @wanted (a bit each; NULL: all). Everything that stop() needs is
	 * allocated here. NULL with errno; ENOTSUP: this backend cannot read stacks of that kind of guest.
	 */
	struct guest *(*attach)(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted);
	/*
	 * What attach() could not find out without stopping the guest, to be called once the watchdog is at work. 0 or
	 * a negative errno, which explain() puts into words. NULL: attach() does all.
	 */
	int (*settle)(struct guest *g);
	/* How its memory was found, for the user; by now settle() was called. NULL: there is one way only. */
	void (*memory_source)(const struct guest *g, char *text, size_t size);
	/* attach() for the watchdog, which only calls info(), unpause() and clean_up(). NULL: attach() will do. */
	struct guest *(*attach_to_watch)(struct hypervisor *x, const struct guest_info *info);
	void (*detach)(struct guest *g); /* the caller has unmapped all pages before */
	/* In words for the user, why attach() failed with errno @error. NULL: this backend has none of its own. */
	void (*explain)(struct hypervisor *x, const struct guest_info *info, int error, char *why, size_t size);
	/* The instruction set of most of its code. Each sample has a mode of its own (struct vcpu_regs). */
	enum arch_id (*arch)(const struct guest *g);

	/* What the hypervisor knows of the domain: one hypercall. -ESRCH: it is gone. */
	int (*info)(struct guest *g, struct guest_info *info);
	/*
	 * The same of @n guests (1 or more) of one connection by one hypercall, or one for each few hundred: infos[i]
	 * of guests[i], with a domid of UINT32_MAX if it is not known. 0 or a negative errno. NULL: this backend
	 * cannot.
	 */
	int (*infos)(struct guest *const *guests, size_t n, struct guest_info *infos);
	/*
	 * Lays out the next stop(), which will not read the registers of the vCPUs in @asleep (bits; NULL: of none).
	 * To be called before each stop(), while the guest runs.
	 */
	void (*prepare)(struct guest *g, const uint64_t *asleep);
	/*
	 * Calls @work(@ctx) in the thread that stop(), copy() and resume() are to be called in, and returns when no vCPU is
	 * held by it any more. 0; a negative errno: it was not called. NULL: any thread may call them.
	 */
	int (*run)(struct guest *g, void (*work)(void *ctx), void *ctx);
	/*
	 * Pauses the guest and reads run states and registers of its vCPUs, by one call. 0: the guest is paused, and
	 * resume() must follow; a vCPU that waits for a CPU is not paused, and one that could not be paused within
	 * about a millisecond goes on: neither has registers. Negative errno: it is not paused any more; -EAGAIN:
	 * another round may succeed. Positive errno: it is paused, and resume() must follow, but it could not be read.
	 */
	int (*stop)(struct guest *g);
	/*
	 * After a stop() with -EAGAIN, or after resume(): until when (CLOCK_MONOTONIC, ns) some vCPUs may have been
	 * paused; 0: none was. NULL: stop() pauses all of them, or with -EAGAIN none.
	 */
	uint64_t (*held_until)(const struct guest *g);
	/*
	 * What the last stop() has read. Makes no call, so it can wait until the guest runs again. @before is the
	 * domain's information from just before the pause. Fills info->vcpus entries of @vcpus; the registers of
	 * sleeping and unwanted vCPUs stay as they are.
	 */
	void (*collect)(struct guest *g, struct guest_info *before, struct vcpu_stop *vcpus);
	/*
	 * After collect(), before the next prepare(): adds to @set the registers of @vcpu that the last stop() has
	 * read, beside those of struct vcpu_regs. NULL: this backend reads no others.
	 */
	void (*registers)(struct guest *g, uint32_t vcpu, struct register_set *set);
	/*
	 * Undoes the pause of stop(). -EINVAL: somebody else has undone it. -ECANCELED: cancel_resume() came first, and
	 * the guest is still paused.
	 */
	int (*resume)(struct guest *g);
	/*
	 * From now on the pauses of @g are recorded in @m, which is set to zero and must outlive the last stop(). What
	 * the last stop() has read may be in @m: collect() it first.
	 */
	void (*mark_at)(struct guest *g, struct pause_mark *m);
	/* One vCPU's registers while the guest runs, to find its pages before the first stop(). */
	int (*peek)(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs);
	/* From now on @guard is told of the stops that settle() and peek() make. NULL: they make none. */
	void (*guard_by)(struct guest *g, const struct stop_guard *guard);

	/*
	 * For the watchdog, about the pauses that another process recorded in @m: is one in force? A backend that
	 * marks pauses itself, before and after its calls, does not know next to a call: there it says no, or yes if
	 * that process is @dead, so that no pause is left behind.
	 */
	bool (*is_marked)(const struct pause_mark *m, bool dead);
	/*
	 * Has that process's resume() fail with -ECANCELED, unless the hypervisor has begun to carry it out. False:
	 * this backend cannot.
	 */
	bool (*cancel_resume)(struct pause_mark *m);
	/*
	 * Undoes one pause of the domain, whoever made it. -EINVAL: it is not paused. NULL: only the process that has
	 * paused it can, and its death does. That process must handle SIGURG, which interrupts what stop() waits for.
	 */
	int (*unpause)(struct guest *g);
	/*
	 * For the watchdog when the recorder is dead: undoes what it left behind beside a pause. NULL: nothing ever.
	 */
	void (*clean_up)(struct guest *g);
	/*
	 * Maps @n frames, at most GUEST_MAP_MAX, read-only: pages[i] is NULL if the hypervisor refused frame i. Not
	 * while the guest is paused.
	 */
	int (*map)(struct guest *g, const uint64_t *frames, size_t n, const void **pages);
	void (*unmap)(struct guest *g, const void *page);
	/*
	 * Releases what else of the guest this process maps, which would keep it and its memory when it ends. The
	 * caller has unmapped all pages before; prepare() gets it back. NULL: there is nothing else.
	 */
	void (*let_go)(struct guest *g);
	/*
	 * Where memory cannot be mapped, else NULL: a page of map() is an address for this only. Fills the pieces of
	 * @to one after the other from those of @from, by one call. 0 or a negative errno; -ESTALE: these pages are not
	 * the guest's any more, map() them again.
	 */
	int (*copy)(struct guest *g, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom);
};

extern const struct hypervisor_ops hypervisor_backend; /* Xen, or the simulation: whichever is linked */
extern const struct hypervisor_ops hypervisor_kvm;
/* All that this program is linked with; ends with NULL. */
extern const struct hypervisor_ops *const hypervisors[];

/* Memory for @n marks, shared with processes forked later, and usable in hypercalls. NULL: errno. */
struct pause_mark *marks_new(size_t n);
void marks_free(struct pause_mark *marks, size_t n);

#endif
