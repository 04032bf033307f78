/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PV guest finds when Xen enters it, and how its further vCPUs begin. */
#include "../guest.h"

#include <xen/xen.h>

#define PAGE 4096

static uint8_t stacks[MAX_VCPUS][2 * PAGE] __attribute__((aligned(PAGE)));
static uint8_t shared_page[PAGE] __attribute__((aligned(PAGE)));
static vcpu_guest_context_t context;
static const start_info_t *si;

extern char _start_secondary[];

uint64_t mfn_of(const void *address)
{
	const unsigned long *list = (const unsigned long *)si->mfn_list;

	return list[((uint64_t)address - 0xffffffff80000000) / PAGE];
}

uint64_t root_mfn(void)
{
	return mfn_of((const void *)si->pt_base);
}

/* Nobody's event may wake a vCPU that is to stay blocked. */
static void mask_events(void)
{
	shared_info_t *shared = (shared_info_t *)shared_page;

	if (hypercall(__HYPERVISOR_update_va_mapping, (long)shared_page, (long)(si->shared_info | 7), UVMF_INVLPG) !=
	    0)
		crash();
	for (unsigned i = 0; i < sizeof(shared->evtchn_mask) / sizeof(shared->evtchn_mask[0]); i++)
		shared->evtchn_mask[i] = ~0ul;
}

const char *boot_begin(void *boot)
{
	si = boot;
	mask_events();
	return (const char *)si->cmd_line;
}

void *vcpu_context(long vcpu)
{
	uint8_t *c = (uint8_t *)&context;

	for (unsigned i = 0; i < sizeof(context); i++)
		c[i] = 0;
	context.flags = VGCF_in_kernel;
	context.user_regs.rip = (uint64_t)_start_secondary;
	context.user_regs.rsp = (uint64_t)(stacks[vcpu] + sizeof(stacks[vcpu]));
	context.user_regs.rdi = (uint64_t)vcpu;
	context.user_regs.rflags = 0x1000; /* IOPL 1: this kernel's own ring */
	context.user_regs.cs = FLAT_KERNEL_CS;
	context.user_regs.ss = FLAT_KERNEL_SS;
	context.kernel_ss = FLAT_KERNEL_SS;
	context.kernel_sp = context.user_regs.rsp;
	context.ctrlreg[3] = xen_pfn_to_cr3(root_mfn());
	return &context;
}
