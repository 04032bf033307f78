/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * live_x86.bpf.h - live.bpf.c's part for x86.
 *
 * AMD: kvm_amd stores all general registers after each exit, and the others are in the VMCB. Intel: kvm_intel stores
 * those but rsp and rip, and reads each other one from the VMCS when somebody asks for it. For rip perf can be made to.
 */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

union kvm_mmu_page_role {
	__u32 word;
};
struct kvm_mmu {
	union kvm_mmu_page_role root_role; /* from Linux 6.0 on */
};
struct kvm_vcpu_arch {
	unsigned long regs[17];
	__u32 regs_avail, hflags;
	struct kvm_mmu root_mmu;
	__u8 handling_intr_from_guest;
};
struct kvm_vcpu {
	struct pid *pid;
	struct mutex mutex;
	struct kvm_vcpu_arch arch;
};

#pragma clang attribute pop

#define ROLE_SMM_SHIFT 24 /* role.smm, the highest byte */
#define HF_SMM_MASK 0x40u /* before Linux 6.0; it was moved later */
#define AMD_EXIT_RSM 0x73u

static void *read_pointer(__u64 at)
{
	void *pointer = (void *)0;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), (void *)at);
	return pointer;
}

static void read_place(struct live_slot *s, _Bool is_interrupted)
{
	struct kvm_vcpu *vcpu = (void *)s->vcpu;

	(void)is_interrupted;
	s->place = BPF_CORE_READ(vcpu, arch.handling_intr_from_guest) ? LIVE_IN_GUEST
	           : is_locked(&vcpu->mutex)                          ? LIVE_IN_KVM
	                                                              : LIVE_OUTSIDE;
}

static _Bool is_in_smm(struct kvm_vcpu *vcpu)
{
	if (bpf_core_field_exists(vcpu->arch.root_mmu.root_role))
		return BPF_CORE_READ(vcpu, arch.root_mmu.root_role.word) >> ROLE_SMM_SHIFT;
	return BPF_CORE_READ(vcpu, arch.hflags) & HF_SMM_MASK;
}

static void read_registers(struct live_slot *s)
{
	struct kvm_vcpu *vcpu = (void *)s->vcpu;
	void *state = read_pointer(s->vcpu + places.state);
	__u64 own = s->vcpu + places.own_state;

	/* While a guest of the guest runs, the registers are that one's. */
	s->foreign = state != (places.is_intel ? (void *)own : read_pointer(own)) || is_in_smm(vcpu);
	s->available = BPF_CORE_READ(vcpu, arch.regs_avail);
	bpf_core_read(s->registers, sizeof(s->registers), &vcpu->arch.regs);
	if (places.is_intel) {
		bpf_probe_read_kernel(&s->exit_code, sizeof(__u32), (void *)s->vcpu + places.exit_code);
		return;
	}
	bpf_probe_read_kernel(s->save, sizeof(s->save), state + LIVE_SAVE);
	bpf_probe_read_kernel(&s->exit_code, sizeof(s->exit_code), state + LIVE_EXIT_CODE);
	/* While KVM emulates RSM, the mode is the guest's already, and the registers are not. Intel does not tell. */
	s->foreign |= s->exit_code == AMD_EXIT_RSM && s->place != LIVE_IN_GUEST;
}

/* The beginning of struct bpf_perf_event_data, as x86 has it. */
struct interrupted_at {
	__u64 registers[16], ip;
};
static __u64 interrupted_ip(void *ctx)
{
	return ((struct interrupted_at *)ctx)->ip;
}

/* An interrupt took it out of the guest, which was ours. */
static _Bool is_by_interrupt(const struct live_slot *s)
{
	return s->place == LIVE_IN_GUEST && s->exit_code - places.interrupts < places.ninterrupts;
}

/* Outside, perf would ask for its own registers. There is no buffer: it is an error, after perf has asked. */
static void prepare_registers(void *ctx, struct live_slot *s, __u32 key)
{
	if (places.is_intel && s->place == LIVE_IN_GUEST)
		bpf_perf_event_output(ctx, &rips, key, &key, sizeof(key));
}

/* x86 does not reorder stores. */
static void tell_done(struct live_slot *s)
{
	asm volatile("" ::: "memory");
	*(volatile unsigned *)&s->done = s->wanted;
}
