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
static struct arm_state state_of(const vcpu_guest_context_t *from)
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
	const struct arm_state state = state_of(context);

	(void)kind, (void)arch;
	arm_mode(&state, to);
}

enum arch_id abi_arch(enum guest_kind kind, uint32_t bits, const void *context)
{
	struct arm_state state;

	(void)kind, (void)bits;
	if (!context)
		return ARCH_ARM64;
	state = state_of(context);
	return arm_guest_arch(&state);
}
