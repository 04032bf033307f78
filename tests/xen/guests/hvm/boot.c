/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PVH or HVM guest finds when Xen enters it, and how its further vCPUs begin: in the mode of the first one. */
#include "../guest.h"

#include <xen/xen.h>
#include <xen/arch-x86/hvm/start_info.h>
#include <xen/hvm/hvm_vcpu.h>

#define STACK 8192

/* On large pages, where the mode has them. */
static uint8_t stacks[MAX_VCPUS][STACK] __attribute__((aligned(4096), section(".big")));
static vcpu_hvm_context_t context;

extern char _start_secondary[], hypercall_page[], page_tables[];

static unsigned long physical(const void *address)
{
	return (unsigned long)address - (unsigned long)BASE;
}

/* Xen fills the page in when its address is written to this register of the processor. */
#define MSR_HYPERCALL_PAGE 0x40000000

static void set_hypercall_page(void)
{
	before_hypercall();
	__asm__ volatile(CLEARED "wrmsr"
	                 :
	                 : "c"(MSR_HYPERCALL_PAGE), "a"((uint32_t)physical(hypercall_page)), "d"(0)
	                 : "memory");
}

/* What a Multiboot loader leaves in eax, and where it puts the command line's address (specification, 3.2, 3.3). */
#define MULTIBOOT_MAGIC 0x2badb002
#define MULTIBOOT_COMMAND_LINE 16
extern uint32_t boot_magic;

/* The toolstack gives an HVM guest's firmware no command line. */
const char *boot_begin(void *boot)
{
	const struct hvm_start_info *info = boot;

	set_hypercall_page();
	if (boot_magic == MULTIBOOT_MAGIC)
		return (const char *)(*(uint32_t *)((char *)boot + MULTIBOOT_COMMAND_LINE) + BASE);
	return info->cmdline_paddr ? (const char *)(unsigned long)(info->cmdline_paddr + BASE) : "work=shares vcpus=2";
}

static unsigned long control(int number)
{
	unsigned long value;

	before_hypercall();
	if (number == 0)
		__asm__ volatile(CLEARED "mov %%cr0, %0" : "=r"(value));
	else
		__asm__ volatile(CLEARED "mov %%cr4, %0" : "=r"(value));
	return value;
}

void *vcpu_context(long vcpu)
{
	uint8_t *c = (uint8_t *)&context;

	for (unsigned i = 0; i < sizeof(context); i++)
		c[i] = 0;
#ifdef LONG
	context.mode = VCPU_HVM_MODE_64B;
	context.cpu_regs.x86_64 = (xen_vcpu_hvm_x86_64_t){
		.rip = (uint64_t)_start_secondary,
		.rsp = (uint64_t)stacks[vcpu + 1],
		.rdi = (uint64_t)vcpu,
		.rflags = 2,
		.cr0 = control(0),
		.cr3 = physical(page_tables),
		.cr4 = control(4),
		.efer = 0x500, /* LME, LMA */
	};
#else
	context.mode = VCPU_HVM_MODE_32B;
	context.cpu_regs.x86_32 = (xen_vcpu_hvm_x86_32_t){
		.eip = (uint32_t)_start_secondary,
		.esp = (uint32_t)stacks[vcpu + 1],
		.edi = (uint32_t)vcpu,
		.eflags = 2,
		.cr0 = control(0),
#ifndef FLAT
		.cr3 = physical(page_tables),
#endif
		.cr4 = control(4),
		.cs_limit = 0xffffffff,
		.ds_limit = 0xffffffff,
		.ss_limit = 0xffffffff,
		.es_limit = 0xffffffff,
		.tr_limit = 0x67,
		.cs_ar = 0xc9b,
		.ds_ar = 0xc93,
		.ss_ar = 0xc93,
		.es_ar = 0xc93,
		.tr_ar = 0x8b,
	};
#endif
	return &context;
}
