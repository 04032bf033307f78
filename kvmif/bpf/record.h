/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.h - what kvmif/bpf/iterator.bpf.c writes in the kernel, and kvmif/bpf/iterator.c reads: fixed records, host's
 * order.
 */
#ifndef KVMIF_BPF_RECORD_H
#define KVMIF_BPF_RECORD_H

enum kvm_record_type {
	KVM_RECORD_VM = 1,
	KVM_RECORD_SLOT = 2,
	KVM_RECORD_VCPU = 3,
};

#define KVM_VM_PROTECTED 1u /* the host may not read its registers */
#define KVM_VM_NO_SLOTS 2u  /* this kernel keeps slots in another way */

struct kvm_record {
	unsigned int type, pid;
	unsigned long long vm; /* tells machines of one process apart */
	union {
		struct {
			unsigned int flags;
		} machine;
		struct {
			unsigned long long address, size, host_address; /* bytes that are memory; in the VMM */
			unsigned int is_busy; /* the VMM changed its memory meanwhile: read all again */
		} slot;
		struct {
			unsigned int number, tid, mp_state;
			unsigned long long address; /* struct kvm_vcpu */
		} vcpu;
	};
};

#endif
