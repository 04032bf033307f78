/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kvm_guest.h - what the files of this folder share: kvm.c (a guest's stops), kvm_live.c (samples without one),
 * attach.c (what it consists of), explain.c and stop_by.c.
 */
#ifndef KVMIF_BACKEND_KVM_GUEST_H
#define KVMIF_BACKEND_KVM_GUEST_H

#include "guest/hypervisor.h"
#include "guest/tried.h"
#include "kvmif/bpf/live.h"
#include "kvmif/host/host_stacks.h"
#include "kvmif/memory/layout.h"
#include "kvmif/memory/search.h"
#include "kvmif/memory/shared.h"
#include "kvmif/vcpus/tracer.h"
#include "kvmif/vcpus/vcpu.h"

#define SLOTS_NS 1000000000ull /* memory and vCPUs are looked at so often, */
#define LOOK_SHARE 100         /* or after so many times what it costs, if that is longer */

struct hypervisor {
	const struct hypervisor_ops *ops; /* kvm.c's */
	char version[160];
	struct tracer *tracer;
	struct iterator *it;        /* opened when it is needed */
	char why[120];              /* "", or why it cannot be used */
	bool wants_live, only_live; /* guests are to be sampled without a stop: where that is possible, or fail */
	bool needs_sp;              /* with their stack pointers */
	char why_not_live[120];
	struct host_stacks *host; /* NULL: they are not asked for */
	struct tried tried;
};

/* In a pause_mark. We write it ourselves, in time: before the first call of a stop and after its last. */
struct mark {
	uint64_t held;  /* threads are being stopped, or are */
	uint64_t armed; /* kvm_valid_regs may be set */
};

/* What the next sample of a vCPU copies. */
struct planned_copy {
	struct iovec to;
	const struct iovec *from;
	size_t nfrom;
	bool is_done; /* while its vCPU was still, by kvm_ask(), */
	int result;   /* with this: 0 or a negative errno */
};

struct guest {
	struct hypervisor *x;
	struct live *live;          /* NULL: it is sampled by stops */
	struct planned_copy *plans; /* by vCPU; then only */
	bool needs_more;            /* its stacks need larger copies than live samples are */
	int no_timers;              /* 0; errno: a vCPU that has come since cannot be sampled so */
	bool by_stops;              /* nevertheless, for now, */
	bool only_peeks;            /* or for good: @live reads the registers of vCPUs that have stopped */
	char why_not_live[120];     /* "": it was not to be */
	int refused_live;           /* -ENOEXEC: it must be, but cannot */
	struct vcpu_state space;    /* live_lacks_space(): the address space and mode of all stops, */
	bool space_is_known;
	uint64_t checked_ns; /* of which this was the last */
	struct machine machine;
	int pidfd;
	struct vcpu *vcpus; /* machine.vcpus of them */
	uint64_t wanted[MACHINE_VCPUS_MAX / 64], asleep[MACHINE_VCPUS_MAX / 64];
	uint64_t until_ns;                    /* wait_until() */
	uint64_t due[MACHINE_VCPUS_MAX / 64]; /* to be stopped, by prepare() */
	bool is_taken;                        /* the monitor of one of these uses the registers in its page itself */
	struct layout layout;
	struct shared shared;  /* of this layout, */
	bool to_share;         /* and to be mapped before the next stop */
	struct search *search; /* for the memory, by its monitor's mappings; NULL: the kernel tells where it is */
	uint64_t slots_ns;     /* when memory and vCPUs were looked at, */
	uint64_t look_cost_ns; /* and the CPU time of the last look after the first */
	uint64_t refused_ns;   /* when the first of the consecutive stops below was refused */
	unsigned refused;      /* consecutive stops at which a thread could not be traced */
	uint64_t held_ns;      /* since when its monitor has held all its vCPUs; 0: it does not */
	uint64_t closely_ns;   /* when a guest that used no CPU time was looked at more closely; 0: never */
	bool is_stopped;       /* its monitor was stopped by a signal then, */
	bool is_dumping;       /* or was dumping core: it is as good as gone */
	bool was_asked;        /* by info() */
	int stopped;           /* the result of the last work of kvm_stop_by() */
	bool is_watched;       /* ATTACH_TO_WATCH */
	size_t mapped;         /* pages */
	bool moved;            /* its memory is elsewhere than some of these say */
	struct pause_mark own;
	volatile struct mark *mark;
	struct stop_guard guard; /* of stops that the caller does not ask for by itself; begin NULL: none */
};

void kvm_describe(const struct machine *m, struct guest_info *info);

/* Of struct hypervisor_ops. */
struct guest *kvm_attach(struct hypervisor *x, const struct guest_info *info, const uint64_t *wanted,
                         enum attach_purpose purpose);
int kvm_settle(struct guest *g, char *how, size_t size);
void kvm_detach(struct guest *g);
bool kvm_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
                 size_t size);
void kvm_clean_up(struct guest *g);

/*
 * Calls @work(@g), which stops threads and sets g->stopped, as run() does, and is no round of the caller's. g->stopped,
 * or a negative errno.
 */
int kvm_stop_by(struct guest *g, void (*work)(void *guest));

/* Without stops (kvm_live.c). Is the guest sampled so, but for stops now and then? Is it now? */
bool kvm_has_live(const struct guest *g);
bool kvm_is_live(const struct guest *g);
/* Of struct hypervisor_ops. */
void kvm_sample_live(struct hypervisor *x, bool must, bool needs_sp);
void kvm_stop_instead(struct guest *g, const char *why);
int kvm_record_host(struct hypervisor *x, char *why, size_t size);
void kvm_plan(struct guest *g, uint32_t vcpu, const struct iovec *to, const struct iovec *from, size_t nfrom);
/*
 * If guests are to be sampled so. 0, also where it is not possible and stops will do, as g->why_not_live says; or a
 * negative errno; -ENOEXEC: it must be, and is not possible, as x->why_not_live says.
 */
int kvm_open_live(struct guest *g);
/* The threads are the layout's. 0 or a negative errno. */
int kvm_set_timers(struct guest *g);
/* vcpu_set_look(), by the last live_look(). */
void kvm_set_look(struct guest *g, uint32_t i);
/* Samples all vCPUs that are due. @span: how long the program held one. */
void kvm_ask(struct guest *g, struct pause_span *span);
/* Before each sample. */
void kvm_plan_nothing(struct guest *g);
/* Is it what was planned that is asked for, from @from on? Then kvm_copy_planned() is copy(). */
bool kvm_is_planned(const struct guest *g, const struct iovec *from);
int kvm_copy_planned(struct guest *g);
/* Has what was planned for it been copied while it was still? */
bool kvm_is_copied(const struct guest *g, uint32_t i);
/*
 * By stops: does what live samples read equal the registers, and is what they do not tell always the same? Else as with
 * kvm_open_live().
 */
int kvm_check_live(struct guest *g);
/* Before each sample; by a stop now and then, where it is needed. Afterwards the guest may be sampled by stops. */
void kvm_check_again(struct guest *g);

/* Where it is peeked at (state.h): reads the registers of the vCPUs that have stopped. */
void kvm_peek_stopped(struct guest *g);

/* vCPUs and memory come and go. Stops nothing. */
void kvm_look_again(struct guest *g);

#endif
