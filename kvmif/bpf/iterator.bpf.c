/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Runs in the kernel once for each open file of a process, when somebody reads the iterator: writes a record for each
 * virtual machine, for each slot of its memory, and for each vCPU. It is attached to nothing else.
 *
 * Types have only the fields that are used; where these are in the running kernel is found when the program is loaded
 * (CO-RE).
 */
#include "kvmif/bpf/bpf_types.h" /* first: libbpf's headers want these */

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kvmif/bpf/record.h"

#define ANON_INODE_FS_MAGIC 0x09041934
#define CHAINS 128        /* of the hash table of slots */
#define CHAIN_MAX 16      /* slots in one of them */
#define MAPPINGS_MAX 4096 /* that one slot lies over */
#define VM_PFNMAP 0x400u
#define VM_IO 0x4000u
#define EBUSY 16

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct pid_namespace;
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
struct task_struct {
	struct task_struct *group_leader;
	struct pid *thread_pid;
};
struct vm_area_struct {
	unsigned long vm_end, vm_flags;
};
struct super_block {
	unsigned long s_magic;
};
struct qstr {
	const unsigned char *name;
};
struct dentry {
	struct qstr d_name;
	struct super_block *d_sb;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct path f_path;
	void *private_data;
};
struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct kvm_memory_slot {
	struct hlist_node id_node[2];
	__u64 base_gfn;
	unsigned long npages, userspace_addr;
};
struct kvm_memslots {
	__u64 generation;
	struct hlist_head id_hash[CHAINS];
	int node_idx;
};
struct kvm_arch {
	__u8 vm_type;
	_Bool has_protected_state;
};
struct kvm {
	struct kvm_memslots *memslots[2];
	struct kvm_arch arch;
};
#ifdef KVM_ARM64
struct kvm_mp_state {
	__u32 mp_state;
};
struct kvm_vcpu_arch {
	struct kvm_mp_state mp_state;
	_Bool guest_state_protected; /* it has none */
};
#define MP_STATE(vcpu) BPF_CORE_READ(vcpu, arch.mp_state.mp_state)
#else
struct kvm_vcpu_arch {
	int mp_state;
	_Bool guest_state_protected;
};
#define MP_STATE(vcpu) BPF_CORE_READ(vcpu, arch.mp_state)
#endif
struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	struct pid *pid;
	struct kvm_vcpu_arch arch;
};

#pragma clang attribute pop

/* Of the host's pages, in which KVM counts. */
const volatile __u32 page_shift = 12;
const volatile __u32 encrypted_at; /* live_encryption_at() */

static void put_record(struct seq_file *seq, struct kvm_record *r)
{
	bpf_seq_write(seq, r, sizeof(*r));
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/*
 * What a callback of bpf_loop() works on. A loop of C is verified turn by turn, which takes the kernel a third of a
 * second.
 */
struct slots {
	struct seq_file *seq;
	struct task_struct *task;
	struct kvm_memslots *all;
	struct hlist_node *node;
	__u64 offset;  /* of the node in its slot */
	__u64 at, end; /* of the slot, in the monitor: it is memory up to the first */
	__u64 is_device;
	struct kvm_record r;
};

static long keep_mapping(struct task_struct *task, struct vm_area_struct *vma, struct slots *s)
{
	s->is_device = BPF_CORE_READ(vma, vm_flags) & (VM_IO | VM_PFNMAP);
	if (!s->is_device)
		s->at = BPF_CORE_READ(vma, vm_end);
	return 0;
}

/* The mapping at @at: 0, go on with the next one. */
static long keep_memory(__u32 i, struct slots *s)
{
	struct task_struct *task = s->task;
	long rc;

	if (!task || s->at >= s->end)
		return 1;
	rc = bpf_find_vma(task, s->at, keep_mapping, s, 0);
	s->r.slot.is_busy = rc == -EBUSY;
	return rc != 0 || s->is_device;
}

/*
 * A slot may lie over the registers of a device that is passed through (VFIO). They are no memory: to read one may do
 * anything. Such a slot ends where they begin.
 */
static long put_slot(__u32 i, struct slots *s)
{
	struct hlist_node *node = s->node;
	struct kvm_memory_slot *slot = (void *)node - s->offset;
	__u64 begin;

	if (!node)
		return 1;
	begin = BPF_CORE_READ(slot, userspace_addr);
	s->at = begin;
	s->end = begin + ((__u64)BPF_CORE_READ(slot, npages) << page_shift);
	s->is_device = s->r.slot.is_busy = 0;
	bpf_loop(MAPPINGS_MAX, keep_memory, s, 0);
	s->r.slot.address = BPF_CORE_READ(slot, base_gfn) << page_shift;
	s->r.slot.size = (s->at < s->end ? s->at : s->end) - begin;
	s->r.slot.host_address = begin;
	put_record(s->seq, &s->r);
	s->node = BPF_CORE_READ(node, next);
	return 0;
}

static long put_hash_chain(__u32 i, struct slots *s)
{
	struct kvm_memslots *all = s->all;

	s->node = BPF_CORE_READ(all, id_hash[i & (CHAINS - 1)].first);
	bpf_loop(CHAIN_MAX, put_slot, s, 0);
	return 0;
}

/* KVM has two sets of slots: it changes the one that is not in use, and exchanges them. */
static void put_slots(struct bpf_iter__task_file *ctx, const struct kvm_record *r, struct kvm *kvm)
{
	struct kvm_memslots *all = BPF_CORE_READ(kvm, memslots[0]);
	const __u64 generation = BPF_CORE_READ(all, generation);
	struct slots s = {.seq = ctx->meta->seq, .task = ctx->task, .all = all, .r = *r};

	/* Each slot has a node for either table. */
	s.offset = __builtin_preserve_field_info(((struct kvm_memory_slot *)0)->id_node, BPF_FIELD_BYTE_OFFSET) +
	           (BPF_CORE_READ(all, node_idx) & 1 ? bpf_core_type_size(struct hlist_node) : 0);
	s.r.type = KVM_RECORD_SLOT;
	bpf_loop(CHAINS, put_hash_chain, &s, 0);
	if (BPF_CORE_READ(kvm, memslots[0]) == all && BPF_CORE_READ(all, generation) == generation)
		return;
	s.r.slot.is_busy = 1;
	put_record(s.seq, &s.r);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Its memory is encrypted; its registers may not be (plain SEV). */
static _Bool is_encrypted(struct kvm *kvm)
{
	_Bool is = 0;

	if (encrypted_at)
		bpf_probe_read_kernel(&is, sizeof(is), (void *)kvm + encrypted_at);
	return is;
}

static void put_vm(struct bpf_iter__task_file *ctx, struct kvm_record *r, struct kvm *kvm)
{
	_Bool has_slots = bpf_core_field_exists(struct kvm_memslots, id_hash);

	r->type = KVM_RECORD_VM;
	r->vm = (__u64)kvm;
	r->machine.flags = has_slots ? 0 : KVM_VM_NO_SLOTS;
	if ((bpf_core_field_exists(struct kvm_arch, has_protected_state) &&
	     BPF_CORE_READ(kvm, arch.has_protected_state)) ||
	    is_encrypted(kvm))
		r->machine.flags |= KVM_VM_PROTECTED;
	put_record(ctx->meta->seq, r);
	if (has_slots)
		put_slots(ctx, r, kvm);
}

/* In the PID namespace of the process that reads the iterator; 0: it has no number there. */
static __u32 pid_number(struct pid *pid)
{
	struct pid *reader = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_pid);
	const __u32 level = BPF_CORE_READ(reader, level);
	const __u64 at = __builtin_preserve_field_info(((struct pid *)0)->numbers, BPF_FIELD_BYTE_OFFSET) +
	                 level * bpf_core_type_size(struct upid);
	struct upid *its = (void *)pid + at, *readers = (void *)reader + at;

	if (!pid || BPF_CORE_READ(pid, level) < level || BPF_CORE_READ(its, ns) != BPF_CORE_READ(readers, ns))
		return 0;
	return BPF_CORE_READ(its, nr);
}

static void put_vcpu(struct seq_file *seq, struct kvm_record *r, struct kvm_vcpu *vcpu)
{
	if (bpf_core_field_exists(struct kvm_vcpu_arch, guest_state_protected) &&
	    BPF_CORE_READ(vcpu, arch.guest_state_protected)) {
		r->type = KVM_RECORD_VM;
		r->vm = (__u64)BPF_CORE_READ(vcpu, kvm);
		r->machine.flags = KVM_VM_PROTECTED;
		put_record(seq, r);
	}
	r->type = KVM_RECORD_VCPU;
	r->vm = (__u64)BPF_CORE_READ(vcpu, kvm);
	r->vcpu.address = (__u64)vcpu;
	r->vcpu.number = BPF_CORE_READ(vcpu, vcpu_id);
	r->vcpu.tid = pid_number(BPF_CORE_READ(vcpu, pid));
	r->vcpu.mp_state = MP_STATE(vcpu);
	put_record(seq, r);
}

/* Without a C library. */
static _Bool begins(const char *name, const char *with, int n)
{
	for (int i = 0; i < n; i++)
		if (name[i] != with[i])
			return 0;
	return 1;
}

SEC("iter/task_file")
int each_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct kvm_record r = {0};
	char name[10] = {0};

	if (!task || !file || BPF_CORE_READ(file, f_path.dentry, d_sb, s_magic) != ANON_INODE_FS_MAGIC)
		return 0;
	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	r.pid = pid_number(BPF_CORE_READ(task, group_leader, thread_pid));
	if (begins(name, "kvm-vm", 7))
		put_vm(ctx, &r, BPF_CORE_READ(file, private_data));
	else if (begins(name, "kvm-vcpu:", 9))
		put_vcpu(ctx->meta->seq, &r, BPF_CORE_READ(file, private_data));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
