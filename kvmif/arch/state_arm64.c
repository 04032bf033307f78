/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/arch/state.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "common/registers.h"

#define AARCH32 0x10u

/* --- a stop ------------------------------------------------------------------------------------------------------ */

bool state_page_is_taken(struct kvm_run *run)
{
	(void)run;
	return false;
}

void state_arm(struct kvm_run *run)
{
	(void)run;
}

void state_disarm(struct kvm_run *run)
{
	(void)run;
}

/* A stop makes KVM_RUN fail with EINTR; its number and its second argument are in the registers still. */
bool state_take(struct kvm_run *run, pid_t tid, struct vcpu_state *s)
{
	struct user_regs_struct r;
	struct iovec to = {&r, sizeof(r)};

	(void)run, (void)s;
	return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &to) == 0 && r.regs[8] == SYS_ioctl &&
	       r.regs[1] == KVM_RUN;
}

void state_begin_call_anew(pid_t tid)
{
	(void)tid;
}

/* The result is where the descriptor was. */
int state_call_of(pid_t tid)
{
	(void)tid;
	return -ENOTSUP;
}

/* --- registers --------------------------------------------------------------------------------------------------- */

void state_registers(const struct vcpu_state *from, struct vcpu_regs *regs)
{
	arm_mode(&from->arm, regs);
	regs->valid = !from->nested;
}

#define FIELD(member, register) REGISTER_FIELD(struct vcpu_state, member, register)

static const struct register_field fields[] = {
	FIELD(arm.cpsr, REGISTER_CPSR),
	FIELD(arm.root.arm.sctlr, REGISTER_SCTLR),
	FIELD(arm.root.arm.tcr, REGISTER_TCR),
	FIELD(arm.root.arm.ttbr0, REGISTER_TTBR0),
	FIELD(arm.root.arm.ttbr1, REGISTER_TTBR1),
};

static const struct register_field fields_64[] = {
	FIELD(arm.pc, REGISTER_PC),         FIELD(elr, REGISTER_ELR),           FIELD(spsr, REGISTER_SPSR_EL1),
	FIELD(arm.sp_el0, REGISTER_SP_EL0), FIELD(arm.sp_el1, REGISTER_SP_EL1),
};

/* Where AArch64 has them (Arm ARM, D1.20.2). */
static const struct register_field fields_32[] = {
	FIELD(arm.pc, REGISTER_PC_32),         FIELD(arm.x[8], REGISTER_R8_USR),
	FIELD(arm.x[9], REGISTER_R8_USR + 1),  FIELD(arm.x[10], REGISTER_R8_USR + 2),
	FIELD(arm.x[11], REGISTER_R8_USR + 3), FIELD(arm.x[12], REGISTER_R8_USR + 4),
	FIELD(arm.x[13], REGISTER_R8_USR + 5), FIELD(arm.x[14], REGISTER_R8_USR + 6),
	FIELD(arm.x[17], REGISTER_R13_IRQ),    FIELD(arm.x[16], REGISTER_R13_IRQ + 1),
	FIELD(arm.x[19], REGISTER_R13_SVC),    FIELD(arm.x[18], REGISTER_R13_SVC + 1),
	FIELD(arm.x[21], REGISTER_R13_ABT),    FIELD(arm.x[20], REGISTER_R13_ABT + 1),
	FIELD(arm.x[23], REGISTER_R13_UND),    FIELD(arm.x[22], REGISTER_R13_UND + 1),
	FIELD(arm.x[24], REGISTER_R8_FIQ),     FIELD(arm.x[25], REGISTER_R8_FIQ + 1),
	FIELD(arm.x[26], REGISTER_R8_FIQ + 2), FIELD(arm.x[27], REGISTER_R8_FIQ + 3),
	FIELD(arm.x[28], REGISTER_R8_FIQ + 4), FIELD(arm.x[29], REGISTER_R8_FIQ + 5),
	FIELD(arm.x[30], REGISTER_R8_FIQ + 6),
};

void state_all_registers(const struct vcpu_state *from, struct register_set *set)
{
	if (from->arm.cpsr & AARCH32)
		registers_read(set, fields_32, sizeof(fields_32) / sizeof(fields_32[0]), from);
	else
		registers_read(set, fields_64, sizeof(fields_64) / sizeof(fields_64[0]), from);
	registers_read(set, fields, sizeof(fields) / sizeof(fields[0]), from);
}

bool state_is_same_space(const struct vcpu_state *a, const struct vcpu_state *b)
{
	const struct space_root *r = &a->arm.root, *s = &b->arm.root;

	return r->arm.ttbr0 == s->arm.ttbr0 && r->arm.ttbr1 == s->arm.ttbr1 && r->arm.tcr == s->arm.tcr &&
	       r->arm.sctlr == s->arm.sctlr;
}

bool state_is_same(const struct vcpu_state *a, const struct vcpu_state *b, bool but_sp)
{
	(void)but_sp;
	return !a->nested && memcmp(a->arm.x, b->arm.x, sizeof(a->arm.x)) == 0 && a->arm.pc == b->arm.pc &&
	       a->arm.cpsr == b->arm.cpsr;
}
