/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * live_arm64.bpf.h - live.bpf.c's part for ARM64. After each exit KVM stores the general registers, pc, pstate and
 * SP_EL0; the other ones, too, where the host's kernel runs at EL1, and at EL2 (VHE) when the thread leaves KVM_RUN or
 * its CPU.
 */
#define PF_VCPU 1
#define SOFTIRQ_MASK 0xff00

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct user_pt_regs {
	__u64 regs[31], sp, pc, pstate;
};
struct kvm_cpu_context {
	struct user_pt_regs regs;
	__u64 sys_regs[1]; /* by enum vcpu_sysreg, whose values differ by version */
	__u64 *vncr_array;
};
struct kvm_vcpu_arch {
	struct kvm_cpu_context ctxt;
};
struct kvm_vcpu {
	struct pid *pid;
	struct mutex mutex;
	struct kvm_vcpu_arch arch;
};
struct preempt_arm64 {
	__u32 count;
};
struct thread_info___arm64 {
	struct preempt_arm64 preempt;
};
struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
	unsigned int flags;
};

#pragma clang attribute pop

enum vcpu_sysreg { SCTLR_EL1 = 1, TTBR0_EL1, TTBR1_EL1, TCR_EL1, ELR_EL1, SP_EL1, SPSR_EL1 };

/* Is it the interrupt that has taken the vCPU out of the guest? Not one that interrupts a softirq of the host's. */
static _Bool was_in_guest(void)
{
	struct task_struct___arm64 *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, flags) & PF_VCPU &&
	       !(BPF_CORE_READ(task, thread_info.preempt.count) & SOFTIRQ_MASK);
}

static void read_place(struct live_slot *s, _Bool is_interrupted)
{
	struct kvm_vcpu *vcpu = (void *)s->vcpu;

	s->place = is_interrupted && was_in_guest() ? LIVE_IN_GUEST
	           : is_locked(&vcpu->mutex)        ? LIVE_IN_KVM
	                                            : LIVE_OUTSIDE;
}

#define READ_SYSREG(number) read_sysreg(vcpu, bpf_core_enum_value(enum vcpu_sysreg, number))
static __u64 read_sysreg(struct kvm_vcpu *vcpu, __u64 number)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word),
	                      (void *)vcpu + bpf_core_field_offset(vcpu->arch.ctxt.sys_regs) + 8 * number);
	return word;
}

static void read_registers(struct live_slot *s)
{
	struct kvm_vcpu *vcpu = (void *)s->vcpu;
	struct live_arm64 *to = &s->arm64;

	bpf_core_read(to->x, sizeof(to->x), &vcpu->arch.ctxt.regs.regs);
	to->sp_el0 = BPF_CORE_READ(vcpu, arch.ctxt.regs.sp);
	to->pc = BPF_CORE_READ(vcpu, arch.ctxt.regs.pc);
	to->pstate = BPF_CORE_READ(vcpu, arch.ctxt.regs.pstate);
	to->sp_el1 = READ_SYSREG(SP_EL1);
	to->elr = READ_SYSREG(ELR_EL1);
	to->spsr = READ_SYSREG(SPSR_EL1);
	to->ttbr0 = READ_SYSREG(TTBR0_EL1);
	to->ttbr1 = READ_SYSREG(TTBR1_EL1);
	to->tcr = READ_SYSREG(TCR_EL1);
	to->sctlr = READ_SYSREG(SCTLR_EL1);
	/* While a guest of the guest may run, its registers are elsewhere. */
	s->foreign = bpf_core_field_exists(vcpu->arch.ctxt.vncr_array) && BPF_CORE_READ(vcpu, arch.ctxt.vncr_array);
}

/* struct bpf_perf_event_data begins with the registers that the answer begins with: x0 to x30, sp, pc, pstate. */
static __u64 interrupted_ip(void *ctx)
{
	return ((struct live_arm64 *)ctx)->pc;
}

static _Bool is_by_interrupt(const struct live_slot *s)
{
	return s->place == LIVE_IN_GUEST;
}

static void prepare_registers(void *ctx, struct live_slot *s, __u32 key)
{
	(void)key;
	s->host_pstate = ((struct live_arm64 *)ctx)->pstate;
}

/* Atomic operations that return something are barriers. */
static void tell_done(struct live_slot *s)
{
	__sync_lock_test_and_set(&s->done, s->wanted);
}
