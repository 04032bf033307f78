/* SPDX-License-Identifier: BSD-2-Clause */
/* All registers out of Xen's structures: each from its own place, and what they mean for the kernel and for programs. */
#include "tests/unit/unit.h"

#include "xenif/abi.h" /* first: Xen's headers want __XEN_TOOLS__ */

#include <string.h>
#include <xen/foreign/x86_32.h>
#include <xen/hvm/save.h>

static uint64_t value(const struct register_set *set, uint32_t id)
{
	const uint64_t *found = upf_registers_find(set, id);

	assert_non_null(found);
	return *found;
}

TEST(hvm)
{
	static struct register_set set;
	static struct hvm_hw_cpu cpu;

	/* The fields behind the FPU's follow each other: each 32 bits are their own number. */
	for (uint32_t i = 512 / 4; i < sizeof(cpu) / 4; i++)
		memcpy((uint8_t *)&cpu + 4 * i, &i, 4);
	abi_registers(GUEST_HVM, ARCH_X86_64, &cpu, &set);
	assert_int_equal(set.n, 57);
	for (uint32_t i = 0; i < set.n; i++) {
		assert_true(set.of[i].value != 0 && upf_register_name(set.of[i].id) != NULL);
		for (uint32_t j = 0; j < i; j++)
			assert_true(set.of[i].id != set.of[j].id && set.of[i].value != set.of[j].value);
	}
	assert_true(value(&set, REGISTER_RIP) == cpu.rip && value(&set, REGISTER_CR0 + 2) == cpu.cr2);
	assert_true(value(&set, REGISTER_SS) == cpu.ss_sel);
	assert_true(value(&set, REGISTER_ES_BASE + SEGMENT_TR) == cpu.tr_base);
	assert_true(value(&set, REGISTER_ES_LIMIT + SEGMENT_DS) == cpu.ds_limit);
	assert_true(value(&set, REGISTER_ES_ATTRIBUTES + SEGMENT_CS) == cpu.cs_arbytes);
	assert_true(value(&set, REGISTER_KERNEL_GS_BASE) == cpu.shadow_gs);
}

/* swapgs changes the two; Xen tells them by whose they are. */
TEST(pv)
{
	static struct register_set set;
	static vcpu_guest_context_t context = {.gs_base_kernel = 1, .gs_base_user = 2, .fs_base = 3};

	context.user_regs.cs = 0xe033;
	context.user_regs._pad0[0] = 7; /* not of the selector */
	context.ctrlreg[3] = 0x1000;
	context.ctrlreg[1] = 0x2000;
	abi_registers(GUEST_PV, ARCH_X86_64, &context, &set);
	assert_true(value(&set, REGISTER_GS_BASE) == 2 && value(&set, REGISTER_KERNEL_GS_BASE) == 1);
	assert_true(value(&set, REGISTER_CS) == 0xe033 && value(&set, REGISTER_FS_BASE) == 3);
	assert_true(value(&set, REGISTER_CR0 + 3) == 0x1000 && value(&set, REGISTER_USER_CR3) == 0x2000);
	set.n = 0;
	context.flags = VGCF_in_kernel;
	abi_registers(GUEST_PV, ARCH_X86_64, &context, &set);
	assert_true(value(&set, REGISTER_GS_BASE) == 1 && value(&set, REGISTER_KERNEL_GS_BASE) == 2);
}

TEST(pv_32)
{
	static struct register_set set;
	static vcpu_guest_context_x86_32_t context = {.ldt_base = 4, .kernel_sp = 5};

	context.user_regs.eip = 0xfffff000;
	context.user_regs.cs = 0xe019;
	context.user_regs._pad0 = 7; /* not of the selector */
	context.ctrlreg[3] = 0x1000;
	abi_registers(GUEST_PV, ARCH_X86_32, &context, &set);
	assert_true(value(&set, REGISTER_RIP) == 0xfffff000 && value(&set, REGISTER_CS) == 0xe019);
	assert_true(value(&set, REGISTER_CR0 + 3) == 0x1000 && value(&set, REGISTER_KERNEL_SP) == 5);
	assert_true(value(&set, REGISTER_ES_BASE + SEGMENT_LDTR) == 4);
	assert_null(upf_registers_find(&set, REGISTER_GS_BASE));
}
