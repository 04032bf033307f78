/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/arch/state.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "common/registers.h"
#include "guest/x86.h"

#define WANTED (KVM_SYNC_X86_REGS | KVM_SYNC_X86_SREGS)
#define POISON 0x5afe5afe5afe5afeull /* not canonical: no instruction pointer */
#define LOOKS 3                      /* at a page that seems to be in use by its monitor */

/* --- a stop ------------------------------------------------------------------------------------------------------ */

/*
 * At the end of struct kvm_run, of which KVM uses nothing there: POISON while kvm_valid_regs is ours, also if we were
 * killed meanwhile. Monitors that use the registers themselves set it as we do.
 */
static uint64_t *owner(struct kvm_run *run)
{
	return (uint64_t *)(void *)&run->s.padding[sizeof(run->s.padding) - sizeof(uint64_t)];
}

static bool is_set_by_monitor(struct kvm_run *run)
{
	const uint64_t before = __atomic_load_n(owner(run), __ATOMIC_ACQUIRE);
	const uint64_t valid = __atomic_load_n(&run->kvm_valid_regs, __ATOMIC_ACQUIRE);

	return valid && before != POISON && __atomic_load_n(owner(run), __ATOMIC_ACQUIRE) != POISON;
}

/* Another recorder may arm and disarm the page meanwhile; what the monitor sets stays. */
bool state_page_is_taken(struct kvm_run *run)
{
	for (int look = 0; look < LOOKS; look++)
		if (!run->kvm_dirty_regs && !is_set_by_monitor(run))
			return false;
	return true;
}

void state_arm(struct kvm_run *run)
{
	*owner(run) = POISON;
	run->s.regs.regs.rip = POISON;
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&run->kvm_valid_regs, WANTED, __ATOMIC_RELEASE);
}

void state_disarm(struct kvm_run *run)
{
	__atomic_store_n(&run->kvm_valid_regs, 0, __ATOMIC_RELEASE);
	*owner(run) = 0;
}

bool state_take(struct kvm_run *run, pid_t tid, struct vcpu_state *s)
{
	(void)tid;
	*s = (struct vcpu_state){run->s.regs, run->flags};
	return s->sync.regs.rip != POISON;
}

/* Of the kernel's own errors, which no program sees (include/linux/errno.h). */
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

void state_begin_call_anew(pid_t tid)
{
	void *rax = (void *)offsetof(struct user_regs_struct, rax);
	long result;

	errno = 0;
	result = ptrace(PTRACE_PEEKUSER, tid, rax, NULL);
	if (errno == 0 && result == -ERESTART_RESTARTBLOCK)
		ptrace(PTRACE_POKEUSER, tid, rax, (void *)(long)-ERESTARTNOHAND);
}

/* A stop makes KVM_RUN fail with EINTR; its number and its arguments are in the registers still. */
int state_call_of(pid_t tid)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r) != 0)
		return -errno;
	return r.orig_rax == SYS_ioctl && r.rsi == KVM_RUN ? (int)r.rdi : -ENOENT;
}

/* --- registers --------------------------------------------------------------------------------------------------- */

/* System management mode has memory of its own, and a guest's guest its own addresses. */
static bool is_guest_itself(const struct vcpu_state *s)
{
	return !(s->flags & (KVM_RUN_X86_SMM | KVM_RUN_X86_GUEST_MODE));
}

void state_registers(const struct vcpu_state *from, struct vcpu_regs *regs)
{
	const struct kvm_regs *r = &from->sync.regs;
	const struct kvm_sregs *s = &from->sync.sregs;

	const struct x86_state state = {
		.cr0 = s->cr0,
		.cr3 = s->cr3,
		.cr4 = s->cr4,
		.efer = s->efer,
		.rflags = r->rflags,
		.cs_l = s->cs.l,
		.cs_d = s->cs.db,
		.privilege = s->ss.dpl,
		.cs_base = s->cs.base,
		.ss_base = s->ss.base,
		.ip = r->rip,
		.sp = r->rsp,
		.fp = r->rbp,
	};

	*regs = (struct vcpu_regs){
		.all = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11,
	                r->r12, r->r13, r->r14, r->r15},
		.interrupt_table = s->idt.base,
	};
	if (is_guest_itself(from))
		x86_mode(&state, regs);
}

#define FIELD(member, register) REGISTER_FIELD(struct kvm_sync_regs, member, register)
static const struct register_field fields[] = {
	FIELD(regs.rip, REGISTER_RIP),
	FIELD(regs.rflags, REGISTER_RFLAGS),
	FIELD(sregs.cr0, REGISTER_CR0),
	FIELD(sregs.cr2, REGISTER_CR0 + 2),
	FIELD(sregs.cr3, REGISTER_CR0 + 3),
	FIELD(sregs.cr4, REGISTER_CR0 + 4),
	FIELD(sregs.cr8, REGISTER_CR0 + 8),
	FIELD(sregs.efer, REGISTER_EFER),
	FIELD(sregs.apic_base, REGISTER_APIC_BASE),
	FIELD(sregs.gdt.base, REGISTER_ES_BASE + SEGMENT_GDTR),
	FIELD(sregs.gdt.limit, REGISTER_ES_LIMIT + SEGMENT_GDTR),
	FIELD(sregs.idt.base, REGISTER_ES_BASE + SEGMENT_IDTR),
	FIELD(sregs.idt.limit, REGISTER_ES_LIMIT + SEGMENT_IDTR),
};

static void add_segment(struct register_set *set, unsigned s, const struct kvm_segment *from)
{
	const unsigned attributes = from->type | from->s << 4 | from->dpl << 5 |
	                            (from->present && !from->unusable) << 7 | from->avl << 8 | from->l << 9 |
	                            from->db << 10 | from->g << 11;

	upf_registers_add(set,
	                  s == SEGMENT_LDTR ? REGISTER_LDTR
	                  : s == SEGMENT_TR ? REGISTER_TR
	                                    : REGISTER_ES + s,
	                  from->selector);
	upf_registers_add(set,
	                  s == SEGMENT_FS   ? REGISTER_FS_BASE
	                  : s == SEGMENT_GS ? REGISTER_GS_BASE
	                                    : REGISTER_ES_BASE + s,
	                  from->base);
	upf_registers_add(set, REGISTER_ES_LIMIT + s, from->limit);
	upf_registers_add(set, REGISTER_ES_ATTRIBUTES + s, attributes);
}

void state_all_registers(const struct vcpu_state *from, struct register_set *set)
{
	const struct kvm_sregs *s = &from->sync.sregs;
	const struct kvm_segment *const segments[] = {
		[SEGMENT_ES] = &s->es, [SEGMENT_CS] = &s->cs, [SEGMENT_SS] = &s->ss,    [SEGMENT_DS] = &s->ds,
		[SEGMENT_FS] = &s->fs, [SEGMENT_GS] = &s->gs, [SEGMENT_LDTR] = &s->ldt, [SEGMENT_TR] = &s->tr,
	};

	registers_read(set, fields, sizeof(fields) / sizeof(fields[0]), &from->sync);
	for (unsigned i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)
		add_segment(set, i, segments[i]);
}

/* The control registers in the VMCB differ from the guest's in bits that do not matter here. */
bool state_is_same_space(const struct vcpu_state *one, const struct vcpu_state *other)
{
	const struct kvm_sregs *a = &one->sync.sregs, *b = &other->sync.sregs;
	const uint64_t cr0 = 1ull << 31 | 1, cr4 = 1ull << 12 | 1 << 5, efer = 1 << 10 | 1 << 8;

	return ((a->cr0 ^ b->cr0) & cr0) == 0 && a->cr3 == b->cr3 && ((a->cr4 ^ b->cr4) & cr4) == 0 &&
	       ((a->efer ^ b->efer) & efer) == 0 && a->cs.base == b->cs.base && a->cs.l == b->cs.l &&
	       a->cs.db == b->cs.db && a->ss.base == b->ss.base && a->ss.dpl == b->ss.dpl &&
	       a->idt.base == b->idt.base;
}

bool state_is_same(const struct vcpu_state *a, const struct vcpu_state *b, bool but_sp)
{
	struct kvm_regs regs = a->sync.regs;

	if (but_sp)
		regs.rsp = b->sync.regs.rsp;
	return is_guest_itself(a) && memcmp(&regs, &b->sync.regs, sizeof(regs)) == 0;
}
