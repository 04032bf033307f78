/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - the only interface between the sampler and a hypervisor: find a guest, attach to it, pause it and
 * read its registers, map its memory, resume it.
 *
 * A backend fills in struct hypervisor_ops: xenif/xencall.c, xenif/libxc.c (older hosts), kvmif/backend/kvm.c,
 * tests/sim/sim.c (simulated, for tests). A program has a table of those it was linked with: `hypervisors`. Functions
 * return 0 or a negative errno and never print; only open() gives its reason in words. A connection and the guests
 * attached by it belong to one thread.
 *
 * "One hypercall" in a comment is a cost, not a promise to return soon: on Xen, every call that concerns a domain
 * takes one lock of the hypervisor's (domctl_lock), and is repeated until it gets it.
 */
#ifndef GUEST_HYPERVISOR_H
#define GUEST_HYPERVISOR_H

#include <sched.h>
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

/* Why a vCPU has left the guest. The values are those of the trace (enum upf_exit). */
enum guest_exit {
	GUEST_EXIT_NONE = 0, /* it has not, or it is not known */
	GUEST_EXIT_OTHER,
	GUEST_EXIT_INTERRUPT,
	GUEST_EXIT_WINDOW,
	GUEST_EXIT_PORT,
	GUEST_EXIT_MEMORY,
	GUEST_EXIT_MSR,
	GUEST_EXIT_REGISTER,
	GUEST_EXIT_EXCEPTION,
	GUEST_EXIT_CPUID,
	GUEST_EXIT_HALT,
	GUEST_EXIT_PAUSE,
	GUEST_EXIT_HYPERCALL,
};

/* What the hypervisor knows of a domain. */
struct guest_info {
	uint32_t domid;
	uint8_t uuid[16];
	uint32_t vcpus;   /* highest vCPU number + 1; 0: none yet, the domain is under construction */
	uint64_t cpu_ns;  /* CPU time used by all its vCPUs */
	uint64_t pages;   /* of memory that it has; changes when it gives some back or gets some */
	char monitor[16]; /* only by list(): the command of the process that runs it; "": none */
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
	uint64_t ip, sp, fp;     /* fp is 0 if the register is; sp: not known */
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

/* Is @vcpu in @set, a bit each? NULL: all are. */
static inline bool vcpu_is_in(const uint64_t *set, uint32_t vcpu)
{
	return !set || set[vcpu / 64] >> vcpu % 64 & 1;
}

/* One vCPU of a paused guest. */
struct vcpu_stop {
	struct vcpu_regs regs;
	uint64_t cpu_ns; /* CPU time used, final while the guest is paused */
	bool online, blocked;
	bool running; /* on a CPU just before the pause */
	bool in_vmm; /* its thread was busy in the virtual machine monitor; after a stop there are no registers then */
	enum guest_exit exit;          /* why it was not in the guest though it ran */
	const struct host_stack *host; /* what its thread did then; NULL: not known, see record_host() */
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

/* When some vCPU of a guest was paused, by CLOCK_MONOTONIC. */
struct pause_span {
	uint64_t from_ns;  /* 0: from when stop() was called */
	uint64_t until_ns; /* UINT64_MAX: until resume(); 0: none was */
};

/* Called before each stop that is not by stop(), and when it is over, so that a watchdog can end that, too. */
struct stop_guard {
	void (*begin)(void *ctx);
	void (*end)(void *ctx);
	void *ctx;
};

/* What a domain that came back is known by: the uuid (0: none), or else the name ("": none). */
struct domain_identity {
	uint8_t uuid[16];
	char name[64];
	uint64_t seen_ns; /* CLOCK_MONOTONIC: it was there */
};

/* The connection, and the domains of the host. */
struct host_ops {
	/* Connects to the hypervisor. NULL: @why is one line for the user, what is missing and what to do about it. */
	struct hypervisor *(*open)(char *why, size_t size);
	void (*close)(struct hypervisor *x);
	/* Such as "Xen 4.17.7, domctl 0x15"; valid as long as the connection. */
	const char *(*version)(struct hypervisor *x);

	/* What the hypervisor knows of domain @domid: one hypercall. -ESRCH: there is no such domain. */
	int (*find)(struct hypervisor *x, uint32_t domid, struct guest_info *info);
	/*
	 * All domains, by ascending domid: *domains, @n of them, which the caller frees. @returned: a domain that is
	 * looked for; the backend may omit those that cannot be it. NULL: none is. A hypercall for each domain.
	 * It may ask other programs (Xen from 4.18: xenstore) and so may block: not for the sampling thread.
	 * 0 or a negative errno.
	 */
	int (*list)(struct hypervisor *x, const struct domain_identity *returned, struct guest_info **domains,
	            size_t *n);
	/* The domain's name; -ENOENT if it is not known. May block, as list(). */
	int (*domain_name)(struct hypervisor *x, uint32_t domid, char *name, size_t size);
	/*
	 * The path on this host of the file that the domain's kernel was loaded from, as the VMM's command line or the
	 * toolstack names it; nobody has opened it. -ENOENT if it is not known. May block, as list().
	 */
	int (*kernel)(struct hypervisor *x, uint32_t domid, char *path, size_t size);
	/*
	 * From now on guests are attached to be sampled without a stop, where that is possible: stop() interrupts
	 * vCPUs, copies what is planned and pauses nothing. @must: elsewhere attach(), settle() or stop() fails with
	 * ENOEXEC. @needs_sp: samples without a stack pointer are of no use. NULL: this backend cannot.
	 */
	void (*sample_live)(struct hypervisor *x, bool must, bool needs_sp);
	/*
	 * From now on live samples tell what the host did while a vCPU was not in the guest. 0; negative errno: @why
	 * is one line. NULL: this backend cannot.
	 */
	int (*record_host)(struct hypervisor *x, char *why, size_t size);
	/* The domain that this program runs in. */
	uint32_t (*own_domid)(struct hypervisor *x);
	/*
	 * In words for the user, why a call about the domain @info failed with errno @error; or, if @operand is not
	 * NULL, why there is no domain of that name or number. False: the backend has no words of its own: @why is
	 * strerror()'s, or "" for @operand.
	 */
	bool (*explain)(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
	                size_t size);
};

/* What a guest is attached for. */
enum attach_purpose {
	ATTACH_TO_SAMPLE,
	ATTACH_TO_WATCH, /* for the watchdog, which only calls info(), unpause(), clean_up() and detach() */
};

/* A guest as a whole. */
struct guest_ops {
	/*
	 * Prepares a domain for sampling the vCPUs in @wanted (a bit each; NULL: all). Everything that stop() needs is
	 * allocated here. NULL with errno; ENOTSUP: this backend cannot read stacks of that kind of guest.
	 */
	struct guest *(*attach)(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
	                        enum attach_purpose purpose);
	/*
	 * Finds out what attach() cannot without stopping the guest. To be called once the watchdog is at work. @how:
	 * how the guest's memory was found, and why it is not sampled live, for the user; "": there is only one way.
	 * 0 or a negative errno.
	 */
	int (*settle)(struct guest *g, char *how, size_t size);
	void (*detach)(struct guest *g); /* the caller has unmapped all pages before */
	/* The instruction set of most of its code. Each sample has a mode of its own (struct vcpu_regs). */
	enum arch_id (*arch)(const struct guest *g);
	/* Is it sampled without a stop (sample_live())? From settle() on; prepare() may change that. NULL: never. */
	bool (*is_live)(const struct guest *g);
	/* Not any more, as @why says. NULL: it never is. */
	void (*stop_instead)(struct guest *g, const char *why);
	/* Adds to @cpus those of this host that a vCPU which is to be sampled is bound to. NULL: not known. */
	void (*bound_to)(const struct guest *g, cpu_set_t *cpus);
	/*
	 * What the hypervisor knows of one guest, by one hypercall: 0; -ESRCH: it is gone; or another negative errno.
	 * Of several guests of one connection, by one hypercall for each few hundred: infos[i] of guests[i], with a
	 * domid of UINT32_MAX if it is not known; -ENOTSUP: this backend must be asked about each.
	 */
	int (*info)(struct guest *const *guests, size_t n, struct guest_info *infos);
};

/* The stop of a sample. */
struct pause_ops {
	/*
	 * From now on the pauses of @g are recorded in @m, which is set to zero and must outlive the last stop(), and
	 * @guard (NULL: nobody) is told of the stops that settle() and peek() make. What the last stop() has read may
	 * be in @m: collect() it first.
	 */
	void (*mark_at)(struct guest *g, struct pause_mark *m, const struct stop_guard *guard);
	/*
	 * Lays out the next stop(), which will not read the registers of the vCPUs in @asleep (bits; NULL: of none).
	 * To be called before each stop(), while the guest runs.
	 */
	void (*prepare)(struct guest *g, const uint64_t *asleep);
	/*
	 * Until when (CLOCK_MONOTONIC) the stops from now on may wait, while no vCPU is paused, for one that this
	 * program has taken the processor from. NULL: there is none to wait for.
	 */
	void (*wait_until)(struct guest *g, uint64_t ns);
	/*
	 * Calls @work(@ctx) in the thread that stop(), copy() and resume() are to be called in, and returns when that
	 * thread holds no vCPU any more. Adds to *cpu_ns the CPU time of a thread that is not the caller's. 0; a
	 * negative errno: @work was not called.
	 */
	int (*run)(struct guest *g, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns);
	/* One vCPU's registers while the guest runs, to find its pages before the first stop(). */
	int (*peek)(struct guest *g, uint32_t vcpu, struct vcpu_regs *regs);
	/*
	 * Pauses the guest and reads run states and registers of its vCPUs, by one call. 0: the guest is paused, and
	 * resume() must follow; a vCPU that waits for a CPU is not paused, and one that could not be paused within
	 * about a millisecond goes on: neither has registers. Negative errno: it is not paused any more; -EAGAIN:
	 * another round may succeed. Positive errno: it is paused, and resume() must follow, but it could not be read.
	 * @span: when some vCPU is or was paused.
	 */
	int (*stop)(struct guest *g, struct pause_span *span);
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
};

/* The guest's memory. */
struct memory_ops {
	/*
	 * Maps @n frames, at most GUEST_MAP_MAX, read-only: pages[i] is NULL if the hypervisor refused frame i. Not
	 * while the guest is paused.
	 */
	int (*map)(struct guest *g, const uint64_t *frames, size_t n, const void **pages);
	void (*unmap)(struct guest *g, const void *page);
	/*
	 * Where memory cannot be mapped, else NULL: a page of map() is an address for this only. Fills the pieces of
	 * @to one after the other from those of @from, by one call. 0 or a negative errno; -ESTALE: these pages are not
	 * the guest's any more, map() them again.
	 */
	int (*copy)(struct guest *g, const struct iovec *to, size_t nto, const struct iovec *from, size_t nfrom);
	/*
	 * There, too: what the first copy() after the next stop() will ask for, for a sample that reads memory itself.
	 * The pieces of @vcpu are @to and the @nfrom of @from, until then. NULL: nothing is to be planned.
	 */
	void (*plan)(struct guest *g, uint32_t vcpu, const struct iovec *to, const struct iovec *from, size_t nfrom);
	/*
	 * Releases what else of the guest this process maps, which would keep it and its memory when it ends. The
	 * caller has unmapped all pages before; prepare() gets it back.
	 */
	void (*let_go)(struct guest *g);
};

/* For the watchdog, about the pauses that another process recorded in a mark. */
struct watch_ops {
	/*
	 * Only the process that made a pause can undo it, and its death does. That process must handle SIGURG, which
	 * interrupts what stop() waits for. False: a pause outlives the process, and everybody can undo it.
	 */
	bool ends_with_recorder;
	/*
	 * Is a pause in force? A backend that marks pauses itself, before and after its calls, does not know next to a
	 * call: there it says no, or yes if that process is @dead, so that no pause is left behind.
	 */
	bool (*is_marked)(const struct pause_mark *m, bool dead);
	/*
	 * Where a pause outlives its process: has that process's resume() fail with -ECANCELED, unless the hypervisor
	 * has begun to carry it out. False: this backend cannot.
	 */
	bool (*cancel_resume)(struct pause_mark *m);
	/* There, too: undoes one pause of the domain, whoever made it. -EINVAL: it is not paused. */
	int (*unpause)(struct guest *g);
	/* Where it does not: undoes what a dead recorder left behind beside its pause. */
	void (*clean_up)(struct guest *g);
};

struct hypervisor_ops {
	const char *name;
	const char *prefix; /* of a domain's name or number on the command line, where it is ambiguous: "xen:3" */
	/* What stopping and reading a guest needs when all is open: a bit each (capabilities(7)). */
	uint64_t capabilities;
	uint64_t live_capabilities; /* and sampling it live beside */

	struct host_ops host;
	struct guest_ops guest;
	struct pause_ops pause;
	struct memory_ops memory;
	struct watch_ops watch;
};

/* For backends that have nothing of their own to do in a hook: */
bool hook_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
                  size_t size);
int hook_settle(struct guest *g, char *how, size_t size);
int hook_run(struct guest *g, void (*work)(void *ctx), void *ctx, uint64_t *cpu_ns);
void hook_let_go(struct guest *g);

extern const struct hypervisor_ops hypervisor_backend; /* Xen, or the simulation: whichever is linked */
extern const struct hypervisor_ops hypervisor_kvm;
/* All that this program is linked with; ends with NULL. */
extern const struct hypervisor_ops *const hypervisors[];

/* Memory for @n marks, shared with processes forked later, and usable in hypercalls. NULL: errno. */
struct pause_mark *marks_new(size_t n);
void marks_free(struct pause_mark *marks, size_t n);

#endif
