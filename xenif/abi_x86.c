/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/abi.h"

#include <stddef.h>
#include <string.h>

#include <xen/foreign/x86_32.h>
#include <xen/hvm/save.h>

#include "guest/x86.h"

#define DOMCTL_4_10 0xeu /* XEN_DOMCTL_INTERFACE_VERSION of that release */
#define DOMCTL_4_16 0x14u

/* The devices that Xen itself emulates for the domain, XEN_X86_EMU_*. Their place has moved: 4.16 added 8 bytes. */
static uint32_t emulated(const struct xen_domctl_getdomaininfo *from, uint32_t interface)
{
	size_t at = offsetof(struct xen_domctl_getdomaininfo, cpupool) + (interface < DOMCTL_4_16 ? 4 : 12);
	uint32_t flags;

	memcpy(&flags, (const uint8_t *)from + at, sizeof(flags));
	return flags;
}

/* Before 4.10 Xen does not tell PVH from HVM. A PVH guest has no PC's devices, of which the clock stands for all. */
enum guest_kind abi_kind(const struct xen_domctl_getdomaininfo *from, uint32_t interface)
{
	if (!(from->flags & XEN_DOMINF_hvm_guest))
		return GUEST_PV;
	return interface < DOMCTL_4_10 || emulated(from, interface) & XEN_X86_EMU_RTC ? GUEST_HVM : GUEST_PVH;
}

static void regs_pv64(const vcpu_guest_context_t *from, struct vcpu_regs *to)
{
	bool user = !(from->flags & VGCF_in_kernel);
	/* ctrlreg[1] is the root of user mode, 0 if the guest has no other one for it (xen/arch/x86/domctl.c). */
	uint64_t root = user && from->ctrlreg[1] ? from->ctrlreg[1] : from->ctrlreg[3];

	*to = (struct vcpu_regs){
		.ip = from->user_regs.rip,
		.sp = from->user_regs.rsp,
		.fp = from->user_regs.rbp,
		.all = {from->user_regs.rax, from->user_regs.rdx, from->user_regs.rcx, from->user_regs.rbx,
	                from->user_regs.rsi, from->user_regs.rdi, from->user_regs.rbp, from->user_regs.rsp,
	                from->user_regs.r8, from->user_regs.r9, from->user_regs.r10, from->user_regs.r11,
	                from->user_regs.r12, from->user_regs.r13, from->user_regs.r14, from->user_regs.r15},
		.arch = &arch_x86_64_pv,
		.root.cr3 = xen_cr3_to_pfn(root) << GUEST_PAGE_SHIFT,
		.first_handler = from->trap_ctxt[0].address,
		.user = user,
		.valid = true,
	};
}

#define CS_PRIVILEGE 3u

/* The root is a page, as any frame of the host's: bits 32 to 43 of its address are in the low ones of cr3. */
static void regs_pv32(const vcpu_guest_context_x86_32_t *from, struct vcpu_regs *to)
{
	const cpu_user_regs_x86_32_t *r = &from->user_regs;

	*to = (struct vcpu_regs){
		.ip = r->eip,
		.sp = r->esp,
		.fp = r->ebp,
		.all = {r->eax, r->edx, r->ecx, r->ebx, r->esi, r->edi, r->ebp, r->esp},
		.arch = &arch_x86_32_pv,
		.root.cr3 = (uint64_t)xen_cr3_to_pfn_x86_32(from->ctrlreg[3]) << GUEST_PAGE_SHIFT,
		.first_handler = from->trap_ctxt[0].address,
		.user = (r->cs & CS_PRIVILEGE) ==
	                CS_PRIVILEGE, /* the kernel's is 1; VGCF_in_kernel is 64-bit guests' */
		.valid = true,
	};
	x86_renumber(to->all);
}

#define ATTRIBUTE_DPL(attributes) ((attributes) >> 5 & 3)
#define ATTRIBUTE_L 0x200u
#define ATTRIBUTE_D 0x400u

static struct x86_state x86_state_of(const struct hvm_hw_cpu *from)
{
	return (struct x86_state){
		.cr0 = from->cr0,
		.cr3 = from->cr3,
		.cr4 = from->cr4,
		.efer = from->msr_efer,
		.rflags = from->rflags,
		.cs_l = from->cs_arbytes & ATTRIBUTE_L,
		.cs_d = from->cs_arbytes & ATTRIBUTE_D,
		.privilege = ATTRIBUTE_DPL(from->ss_arbytes),
		.cs_base = from->cs_base,
		.ss_base = from->ss_base,
		.ip = from->rip,
		.sp = from->rsp,
		.fp = from->rbp,
	};
}

static void regs_hvm(const struct hvm_hw_cpu *from, struct vcpu_regs *to)
{
	const struct x86_state state = x86_state_of(from);

	*to = (struct vcpu_regs){
		.all = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi, from->rbp, from->rsp,
	                from->r8, from->r9, from->r10, from->r11, from->r12, from->r13, from->r14, from->r15},
		.interrupt_table = from->idtr_base,
	};
	x86_mode(&state, to);
}

/* Before 4.10 the call does not say how long the buffer is. */
struct hvmcontext_partial_4_8 {
	uint32_t type, instance;
	XEN_GUEST_HANDLE_64(uint8) buffer;
};

static void ask_hvm(struct xen_domctl *op, uint32_t vcpu, struct hvm_hw_cpu *to)
{
	struct xen_domctl_hvmcontext_partial *ask = &op->u.hvmcontext_partial;
	struct hvmcontext_partial_4_8 *old = (void *)&op->u;

	op->cmd = XEN_DOMCTL_gethvmcontext_partial;
	ask->type = HVM_SAVE_CODE(CPU);
	ask->instance = vcpu;
	if (op->interface_version < DOMCTL_4_10) {
		set_xen_guest_handle(old->buffer, (uint8_t *)to);
	} else {
		ask->bufsz = sizeof(*to);
		set_xen_guest_handle(ask->buffer, (uint8_t *)to);
	}
}

/* A vCPU's registers: of a PV guest, by its word size, or of a PVH or HVM guest. */
union context {
	vcpu_guest_context_t pv;
	vcpu_guest_context_x86_32_t pv32;
	struct hvm_hw_cpu hvm;
};
const size_t abi_context_size = sizeof(union context);

void abi_ask(struct xen_domctl *op, enum guest_kind kind, uint32_t vcpu, void *context)
{
	union context *to = context;

	if (kind == GUEST_PV) {
		op->cmd = XEN_DOMCTL_getvcpucontext;
		op->u.vcpucontext.vcpu = vcpu;
		set_xen_guest_handle(op->u.vcpucontext.ctxt, &to->pv);
	} else {
		ask_hvm(op, vcpu, &to->hvm);
	}
}

void abi_regs(enum guest_kind kind, enum arch_id arch, const void *context, struct vcpu_regs *to)
{
	const union context *from = context;

	if (kind == GUEST_PV && arch == ARCH_X86_32)
		regs_pv32(&from->pv32, to);
	else if (kind == GUEST_PV)
		regs_pv64(&from->pv, to);
	else
		regs_hvm(&from->hvm, to);
}

enum arch_id abi_arch(enum guest_kind kind, uint32_t bits, const void *context)
{
	const union context *from = context;
	struct x86_state state;

	if (kind == GUEST_PV)
		return bits == 32 ? ARCH_X86_32 : ARCH_X86_64;
	if (!from)
		return ARCH_X86_64;
	state = x86_state_of(&from->hvm);
	return x86_guest_arch(&state);
}

/* --- all registers ----------------------------------------------------------------------------------------------- */

/* What PV guests of both word sizes have, by the same names. */
#define PV_CONTROL(type) \
	REGISTER_FIELD(type, ctrlreg[0], REGISTER_CR0), REGISTER_FIELD(type, ctrlreg[2], REGISTER_CR0 + 2), \
		REGISTER_FIELD(type, ctrlreg[3], REGISTER_CR0 + 3), \
		REGISTER_FIELD(type, ctrlreg[4], REGISTER_CR0 + 4)
#define PV_DEBUG(type) \
	REGISTER_FIELD(type, debugreg[0], REGISTER_DR0), REGISTER_FIELD(type, debugreg[1], REGISTER_DR0 + 1), \
		REGISTER_FIELD(type, debugreg[2], REGISTER_DR0 + 2), \
		REGISTER_FIELD(type, debugreg[3], REGISTER_DR0 + 3), \
		REGISTER_FIELD(type, debugreg[6], REGISTER_DR0 + 6), \
		REGISTER_FIELD(type, debugreg[7], REGISTER_DR0 + 7)
#define PV_SELECTORS(type) \
	REGISTER_FIELD(type, user_regs.es, REGISTER_ES), REGISTER_FIELD(type, user_regs.cs, REGISTER_CS), \
		REGISTER_FIELD(type, user_regs.ss, REGISTER_SS), REGISTER_FIELD(type, user_regs.ds, REGISTER_DS), \
		REGISTER_FIELD(type, user_regs.fs, REGISTER_FS), REGISTER_FIELD(type, user_regs.gs, REGISTER_GS)
#define PV_KERNEL(type) \
	REGISTER_FIELD(type, ldt_base, REGISTER_ES_BASE + SEGMENT_LDTR), \
		REGISTER_FIELD(type, kernel_ss, REGISTER_KERNEL_SS), \
		REGISTER_FIELD(type, kernel_sp, REGISTER_KERNEL_SP), \
		REGISTER_FIELD(type, event_callback_eip, REGISTER_EVENT_CALLBACK), \
		REGISTER_FIELD(type, failsafe_callback_eip, REGISTER_FAILSAFE_CALLBACK)

#define PV(member, register) REGISTER_FIELD(vcpu_guest_context_t, member, register)
static const struct register_field pv_fields[] = {
	PV(user_regs.rip, REGISTER_RIP),
	PV(user_regs.rflags, REGISTER_RFLAGS),
	PV_CONTROL(vcpu_guest_context_t),
	PV(ctrlreg[1], REGISTER_USER_CR3),
	PV_DEBUG(vcpu_guest_context_t),
	PV_SELECTORS(vcpu_guest_context_t),
	PV(fs_base, REGISTER_FS_BASE),
	PV_KERNEL(vcpu_guest_context_t),
	PV(syscall_callback_eip, REGISTER_SYSCALL_CALLBACK),
};

static const struct register_field pv32_fields[] = {
	REGISTER_FIELD(vcpu_guest_context_x86_32_t, user_regs.eip, REGISTER_RIP),
	REGISTER_FIELD(vcpu_guest_context_x86_32_t, user_regs.eflags, REGISTER_RFLAGS),
	PV_CONTROL(vcpu_guest_context_x86_32_t),
	PV_DEBUG(vcpu_guest_context_x86_32_t),
	PV_SELECTORS(vcpu_guest_context_x86_32_t),
	PV_KERNEL(vcpu_guest_context_x86_32_t),
};

#define HVM(member, register) REGISTER_FIELD(struct hvm_hw_cpu, member, register)
#define HVM_SEGMENT(name, segment) \
	HVM(name##_base, REGISTER_ES_BASE + (segment)), HVM(name##_limit, REGISTER_ES_LIMIT + (segment)), \
		HVM(name##_arbytes, REGISTER_ES_ATTRIBUTES + (segment))
static const struct register_field hvm_fields[] = {
	HVM(rip, REGISTER_RIP),
	HVM(rflags, REGISTER_RFLAGS),
	HVM(cr0, REGISTER_CR0),
	HVM(cr2, REGISTER_CR0 + 2),
	HVM(cr3, REGISTER_CR0 + 3),
	HVM(cr4, REGISTER_CR0 + 4),
	HVM(msr_efer, REGISTER_EFER),
	HVM(dr0, REGISTER_DR0),
	HVM(dr1, REGISTER_DR0 + 1),
	HVM(dr2, REGISTER_DR0 + 2),
	HVM(dr3, REGISTER_DR0 + 3),
	HVM(dr6, REGISTER_DR0 + 6),
	HVM(dr7, REGISTER_DR0 + 7),
	HVM(es_sel, REGISTER_ES),
	HVM(cs_sel, REGISTER_CS),
	HVM(ss_sel, REGISTER_SS),
	HVM(ds_sel, REGISTER_DS),
	HVM(fs_sel, REGISTER_FS),
	HVM(gs_sel, REGISTER_GS),
	HVM(ldtr_sel, REGISTER_LDTR),
	HVM(tr_sel, REGISTER_TR),
	HVM(fs_base, REGISTER_FS_BASE),
	HVM(gs_base, REGISTER_GS_BASE),
	HVM(shadow_gs, REGISTER_KERNEL_GS_BASE),
	HVM_SEGMENT(es, SEGMENT_ES),
	HVM_SEGMENT(cs, SEGMENT_CS),
	HVM_SEGMENT(ss, SEGMENT_SS),
	HVM_SEGMENT(ds, SEGMENT_DS),
	HVM_SEGMENT(ldtr, SEGMENT_LDTR),
	HVM_SEGMENT(tr, SEGMENT_TR),
	HVM(fs_limit, REGISTER_ES_LIMIT + SEGMENT_FS),
	HVM(fs_arbytes, REGISTER_ES_ATTRIBUTES + SEGMENT_FS),
	HVM(gs_limit, REGISTER_ES_LIMIT + SEGMENT_GS),
	HVM(gs_arbytes, REGISTER_ES_ATTRIBUTES + SEGMENT_GS),
	HVM(gdtr_base, REGISTER_ES_BASE + SEGMENT_GDTR),
	HVM(gdtr_limit, REGISTER_ES_LIMIT + SEGMENT_GDTR),
	HVM(idtr_base, REGISTER_ES_BASE + SEGMENT_IDTR),
	HVM(idtr_limit, REGISTER_ES_LIMIT + SEGMENT_IDTR),
	HVM(msr_star, REGISTER_STAR),
	HVM(msr_lstar, REGISTER_LSTAR),
	HVM(msr_cstar, REGISTER_CSTAR),
	HVM(msr_syscall_mask, REGISTER_SYSCALL_MASK),
	HVM(sysenter_cs, REGISTER_SYSENTER_CS),
	HVM(sysenter_esp, REGISTER_SYSENTER_ESP),
	HVM(sysenter_eip, REGISTER_SYSENTER_EIP),
};

static void registers_pv64(const vcpu_guest_context_t *from, struct register_set *to)
{
	bool in_kernel = from->flags & VGCF_in_kernel;

	registers_read(to, pv_fields, sizeof(pv_fields) / sizeof(pv_fields[0]), from);
	upf_registers_add(to, REGISTER_GS_BASE, in_kernel ? from->gs_base_kernel : from->gs_base_user);
	upf_registers_add(to, REGISTER_KERNEL_GS_BASE, in_kernel ? from->gs_base_user : from->gs_base_kernel);
}

void abi_registers(enum guest_kind kind, enum arch_id arch, const void *context, struct register_set *to)
{
	const union context *from = context;

	if (kind != GUEST_PV)
		registers_read(to, hvm_fields, sizeof(hvm_fields) / sizeof(hvm_fields[0]), &from->hvm);
	else if (arch == ARCH_X86_32)
		registers_read(to, pv32_fields, sizeof(pv32_fields) / sizeof(pv32_fields[0]), &from->pv32);
	else
		registers_pv64(&from->pv, to);
}
