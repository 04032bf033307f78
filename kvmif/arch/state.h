/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - a vCPU's registers, and what else differs between the processors that KVM runs on: state_x86.c and
 * state_arm64.c.
 */
#ifndef KVMIF_ARCH_STATE_H
#define KVMIF_ARCH_STATE_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/arm.h"
#include "guest/hypervisor.h"

#ifdef __x86_64__
/* From Linux 6.11; before that a guest of the guest is not seen. */
#ifndef KVM_RUN_X86_GUEST_MODE
#define KVM_RUN_X86_GUEST_MODE (1 << 2)
#endif
/* @flags of struct kvm_run: in system management mode, and in a guest of the guest, the registers are not its own. */
struct vcpu_state {
	struct kvm_sync_regs sync;
	uint16_t flags;
};
#define VCPU_STATE_ARCH ARCH_X86_64
#define VCPU_STATE_IS_PEEKED false
#else
struct vcpu_state {
	struct arm_state arm;
	uint64_t elr, spsr; /* of EL1 */
	bool nested;
};
#define VCPU_STATE_ARCH ARCH_ARM64
#define VCPU_STATE_IS_PEEKED \
	true /* the page has no registers: a program in the kernel reads those of a stopped vCPU */
#endif

/* Of struct vcpu (vcpu.h), valid is false where they are not the guest's own. */
void state_registers(const struct vcpu_state *s, struct vcpu_regs *regs);
void state_all_registers(const struct vcpu_state *s, struct register_set *set);
/* Are the address space and the mode the same? */
bool state_is_same_space(const struct vcpu_state *a, const struct vcpu_state *b);
/* Are the registers that a program uses the same? @but_sp: the stack pointer may differ. */
bool state_is_same(const struct vcpu_state *a, const struct vcpu_state *b, bool but_sp);

/* Does the monitor use the registers in its page itself? */
bool state_page_is_taken(struct kvm_run *run);
/* The next return of KVM_RUN writes registers into the page, or does not any more. Where KVM can (x86). */
void state_arm(struct kvm_run *run);
void state_disarm(struct kvm_run *run);
/*
 * Thread @tid has stopped: was it in KVM_RUN? Then its registers are those of @run, in *s; where KVM writes none
 * (ARM64), a program reads them afterwards (kvmif/bpf/live.h).
 */
bool state_take(struct kvm_run *run, pid_t tid, struct vcpu_state *s);
/*
 * The stopped thread may have left KVM_RUN, and have just fallen asleep in nanosleep, poll or a timed futex. Such a
 * call goes on by restart_syscall, which its process's seccomp filter may punish by death; let it begin anew instead,
 * as other calls do. The sleep is longer by what it has lasted. Both ways, it ends by EINTR if a signal's handler runs.
 * Not on ARM64, where the kernel has prepared the call before we can.
 */
void state_begin_call_anew(pid_t tid);
/* The descriptor of the vCPU that the stopped thread runs. -ENOENT: none; -ENOTSUP: it cannot be told. */
int state_call_of(pid_t tid);

#endif
