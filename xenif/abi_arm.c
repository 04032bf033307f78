/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/abi.h"

#include <string.h>

#include "guest/arm.h"

enum guest_kind abi_kind(const struct xen_domctl_getdomaininfo *from, uint32_t interface)
{
	(void)from, (void)interface;
	return GUEST_ARM;
}

const size_t abi_context_size = sizeof(vcpu_guest_context_t);

void abi_ask(struct xen_domctl *op, enum guest_kind kind, uint32_t vcpu, void *context)
{
	(void)kind;
	op->cmd = XEN_DOMCTL_getvcpucontext;
	op->u.vcpucontext.vcpu = vcpu;
	set_xen_guest_handle(op->u.vcpucontext.ctxt, (vcpu_guest_context_t *)context);
}

/* The registers x0 to x30 are in order (xen/include/public/arch-arm.h). */
static struct arm_state arm_state_of(const vcpu_guest_context_t *from)
{
	const struct vcpu_guest_core_regs *r = &from->user_regs;
	struct arm_state state = {
		.sp_el0 = r->sp_el0,
		.sp_el1 = r->sp_el1,
		.pc = r->pc64,
		.cpsr = (uint32_t)r->cpsr,
		.root.arm = {from->ttbr0, from->ttbr1, from->ttbcr, from->sctlr},
	};

	_Static_assert(offsetof(struct vcpu_guest_core_regs, x30) + sizeof(r->x30) == sizeof(state.x), "x0 to x30");
	memcpy(state.x, r, sizeof(state.x));
	return state;
}

void abi_regs(enum guest_kind kind, enum arch_id arch, const void *context, struct vcpu_regs *to)
{
	const struct arm_state state = arm_state_of(context);

	(void)kind, (void)arch;
	arm_mode(&state, to);
}

enum arch_id abi_arch(enum guest_kind kind, uint32_t bits, const void *context)
{
	struct arm_state state;

	(void)kind, (void)bits;
	if (!context)
		return ARCH_ARM64;
	state = arm_state_of(context);
	return arm_guest_arch(&state);
}

/* --- all registers ----------------------------------------------------------------------------------------------- */

#define CPSR_AARCH32 0x10u
#define FIELD(member, register) REGISTER_FIELD(vcpu_guest_context_t, member, register)

static const struct register_field fields[] = {
	FIELD(user_regs.cpsr, REGISTER_CPSR), FIELD(sctlr, REGISTER_SCTLR), FIELD(ttbcr, REGISTER_TCR),
	FIELD(ttbr0, REGISTER_TTBR0),         FIELD(ttbr1, REGISTER_TTBR1),
};

static const struct register_field fields_64[] = {
	FIELD(user_regs.pc64, REGISTER_PC),           FIELD(user_regs.elr_el1, REGISTER_ELR),
	FIELD(user_regs.spsr_el1, REGISTER_SPSR_EL1), FIELD(user_regs.sp_el0, REGISTER_SP_EL0),
	FIELD(user_regs.sp_el1, REGISTER_SP_EL1),
};

static const struct register_field fields_32[] = {
	FIELD(user_regs.pc32, REGISTER_PC_32),         FIELD(user_regs.r8_usr, REGISTER_R8_USR),
	FIELD(user_regs.r9_usr, REGISTER_R8_USR + 1),  FIELD(user_regs.r10_usr, REGISTER_R8_USR + 2),
	FIELD(user_regs.r11_usr, REGISTER_R8_USR + 3), FIELD(user_regs.r12_usr, REGISTER_R8_USR + 4),
	FIELD(user_regs.sp_usr, REGISTER_R8_USR + 5),  FIELD(user_regs.lr_usr, REGISTER_R8_USR + 6),
	FIELD(user_regs.r8_fiq, REGISTER_R8_FIQ),      FIELD(user_regs.r9_fiq, REGISTER_R8_FIQ + 1),
	FIELD(user_regs.r10_fiq, REGISTER_R8_FIQ + 2), FIELD(user_regs.r11_fiq, REGISTER_R8_FIQ + 3),
	FIELD(user_regs.r12_fiq, REGISTER_R8_FIQ + 4), FIELD(user_regs.sp_fiq, REGISTER_R8_FIQ + 5),
	FIELD(user_regs.lr_fiq, REGISTER_R8_FIQ + 6),  FIELD(user_regs.sp_irq, REGISTER_R13_IRQ),
	FIELD(user_regs.lr_irq, REGISTER_R13_IRQ + 1), FIELD(user_regs.sp_abt, REGISTER_R13_ABT),
	FIELD(user_regs.lr_abt, REGISTER_R13_ABT + 1), FIELD(user_regs.sp_und, REGISTER_R13_UND),
	FIELD(user_regs.lr_und, REGISTER_R13_UND + 1), FIELD(user_regs.sp_svc, REGISTER_R13_SVC),
	FIELD(user_regs.lr_svc, REGISTER_R13_SVC + 1), FIELD(user_regs.spsr_svc, REGISTER_SPSR_SVC),
	FIELD(user_regs.spsr_fiq, REGISTER_SPSR_FIQ),  FIELD(user_regs.spsr_irq, REGISTER_SPSR_IRQ),
	FIELD(user_regs.spsr_abt, REGISTER_SPSR_ABT),  FIELD(user_regs.spsr_und, REGISTER_SPSR_UND),
};

void abi_registers(enum guest_kind kind, enum arch_id arch, const void *context, struct register_set *to)
{
	const vcpu_guest_context_t *from = context;

	(void)kind;
	(void)arch;
	if (from->user_regs.cpsr & CPSR_AARCH32)
		registers_read(to, fields_32, sizeof(fields_32) / sizeof(fields_32[0]), from);
	else
		registers_read(to, fields_64, sizeof(fields_64) / sizeof(fields_64[0]), from);
	registers_read(to, fields, sizeof(fields) / sizeof(fields[0]), from);
}
