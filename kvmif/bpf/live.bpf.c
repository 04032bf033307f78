/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Runs in a vCPU's own thread, when a timer that the recorder has started interrupts it: KVM has left the guest for
 * that interrupt, so the guest's registers are in memory, and the monitor's memory is that of the current process. It
 * copies both, and the guest goes on. In the recorder's thread, it reads what all vCPUs' threads do, and the registers
 * of those that do not run.
 */
#include "kvmif/bpf/bpf_types.h" /* first: libbpf's headers want these */

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kvmif/bpf/live_slot.h"

#define ARRAY 2                 /* BPF_MAP_TYPE_ARRAY */
#define MMAPABLE 1024           /* BPF_F_MMAPABLE */
#define PERF_EVENT_ARRAY 4      /* BPF_MAP_TYPE_PERF_EVENT_ARRAY */
#define USER_STACK (1 << 8)     /* BPF_F_USER_STACK */
#define USER_BUILD_ID (1 << 11) /* BPF_F_USER_BUILD_ID */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct pid {
	struct hlist_head tasks[1];
};
struct thread_info {
	__u32 cpu;
};
struct sched_entity {
	__u64 exec_start, sum_exec_runtime;
};
struct sched_info {
	unsigned long pcount;
};
struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	int on_cpu;
	struct sched_entity se;
	struct sched_info sched_info;
	struct hlist_node pid_links[1];
};
struct mutex {
	struct {
		long long counter;
	} owner;
};
/* With PREEMPT_RT. */
struct rt_mutex_base {
	struct task_struct *owner;
};
struct mutex___rt {
	struct rt_mutex_base rtmutex;
};

#pragma clang attribute pop

static _Bool is_locked(struct mutex *mutex)
{
	if (bpf_core_field_exists(mutex->owner))
		return BPF_CORE_READ(mutex, owner.counter);
	return BPF_CORE_READ((struct mutex___rt *)mutex, rtmutex.owner);
}

/* x86: what live_x86.c finds out: libbpf would need CAP_SYS_ADMIN to read a module's BTF. */
const volatile struct live_places places;

struct {
	int (*type)[ARRAY];
	int (*max_entries)[1];
	int (*map_flags)[MMAPABLE];
	__u32 *key;
	struct live_slot *value;
} slots SEC(".maps");

/* Intel: for each vCPU an event that has perf ask for rip when something is written to it; nothing is kept. */
struct {
	int (*type)[PERF_EVENT_ARRAY];
	int (*max_entries)[1];
	__u32 *key;
	__u32 *value;
} rips SEC(".maps");

#ifdef KVM_ARM64
#include "kvmif/bpf/live_arm64.bpf.h"
#else
#include "kvmif/bpf/live_x86.bpf.h"
#endif

static void read_schedule(struct live_slot *s, struct task_struct *task)
{
	s->cpu_ns = BPF_CORE_READ(task, se.sum_exec_runtime);
	s->arrivals = bpf_core_field_exists(task->sched_info.pcount) ? BPF_CORE_READ(task, sched_info.pcount) : 0;
}

/* Has the recorder, whose thread this is, taken the CPU of a thread that could run? */
static int is_taken(struct task_struct *task, __u32 taken_ns)
{
	struct task_struct *own = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread_info.cpu) == bpf_get_smp_processor_id() &&
	       BPF_CORE_READ(task, se.exec_start) + taken_ns >= BPF_CORE_READ(own, se.exec_start);
}

static void read_thread(struct live_slot *s, __u32 taken_ns)
{
	struct kvm_vcpu *vcpu = (void *)s->vcpu;
	struct pid *pid = BPF_CORE_READ(vcpu, pid);
	void *node = pid ? BPF_CORE_READ(pid, tasks[0].first) : (void *)0;
	struct task_struct *task = node - bpf_core_field_offset(struct task_struct, pid_links);

	s->thread = LIVE_GONE;
	if (!node)
		return;
	read_schedule(s, task);
	s->thread = BPF_CORE_READ(task, on_cpu)    ? LIVE_ON_CPU
	            : BPF_CORE_READ(task, __state) ? LIVE_ASLEEP
	            : is_taken(task, taken_ns)     ? LIVE_TAKEN
	                                           : LIVE_WAITING;
}

struct copying {
	struct live_slot *s;
};

/* 0: go on with the next run. */
static long copy_run(__u32 i, struct copying *c)
{
	struct live_slot *s = c->s;
	__u32 at, size;

	if (i >= LIVE_RUNS)
		return 1;
	at = s->runs[i].at & (LIVE_DATA - 1);
	size = s->runs[i].size;
	if (size > LIVE_RUN_MAX || bpf_probe_read_user(s->data + at, size, (void *)s->runs[i].from) != 0)
		return 1;
	s->read++;
	return 0;
}

/* The thread's stack, in the kernel and in the monitor, if it was at work there. */
static void read_host(void *ctx, struct live_slot *s)
{
	long size;

	s->host_depth = 0;
	s->host_from = s->vmm_ip = 0;
	if (!s->wants_host || is_by_interrupt(s))
		return;
	size = bpf_get_stack(ctx, s->host, sizeof(s->host), 0);
	/*
	 * Right after an exit, on ARM64 until KVM_RUN returns, the kernel takes the thread to be in the guest still, and
	 * tells no stack. This one begins in this program.
	 */
	if (size <= 0 && s->place != LIVE_OUTSIDE) {
		s->host_from = interrupted_ip(ctx);
		size = bpf_get_task_stack(bpf_get_current_task_btf(), s->host, sizeof(s->host), 0);
	}
	if (size > 0)
		s->host_depth = size / sizeof(*s->host);
	if (s->place != LIVE_OUTSIDE)
		return;
	bpf_get_stack(ctx, &s->vmm_ip, sizeof(s->vmm_ip), USER_STACK);
	bpf_get_stack(ctx, &s->vmm_at, sizeof(s->vmm_at), USER_STACK | USER_BUILD_ID);
}

SEC("perf_event")
int interrupted(void *ctx)
{
	__u32 key = (__u32)bpf_get_attach_cookie(ctx);
	struct live_slot *s = bpf_map_lookup_elem(&slots, &key);
	struct copying c = {s};

	if (!s || s->done == s->wanted)
		return 1;
	s->began_ns = bpf_ktime_get_ns();
	s->read = 0;
	read_place(s, 1);
	prepare_registers(ctx, s, key);
	read_registers(s);
	read_schedule(s, (void *)bpf_get_current_task());
	s->thread = LIVE_ON_CPU;
	bpf_loop(s->nruns, copy_run, &c, 0);
	read_host(ctx, s);
	s->ended_ns = bpf_ktime_get_ns();
	tell_done(s);
	/* Other than 0: the event is used up, and the timer stops. */
	return 1;
}

struct looking {
	__u32 first, taken_ns, stopped;
};

/* 0: go on with the next vCPU. */
static long look_at(__u32 i, struct looking *l)
{
	__u32 key = l->first + i;
	struct live_slot *s = bpf_map_lookup_elem(&slots, &key);

	if (!s)
		return 1;
	s->read = 0;
	read_thread(s, l->taken_ns);
	if (s->thread > LIVE_ON_CPU || (s->thread == LIVE_ON_CPU && l->stopped)) {
		read_place(s, 0);
		read_registers(s);
	}
	s->done = s->wanted;
	return 0;
}

SEC("syscall")
int look(struct live_look_args *args)
{
	struct looking l = {args->first, args->taken_ns, args->stopped};

	bpf_loop(args->vcpus, look_at, &l, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
