/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stopped vCPU's page says: registers only where they are the guest's own. */
#include "tests/unit/unit.h"

#include <linux/kvm.h>

#include "guest/arch.h"
#include "kvmif/vcpu.h"

#define GUEST_MODE (1 << 2) /* KVM_RUN_X86_GUEST_MODE of newer headers */

static struct kvm_run run;

static struct vcpu_regs registers(uint16_t flags, bool is_inside)
{
	const struct vcpu v = {.run = &run, .is_inside = is_inside};
	struct vcpu_regs regs;

	run.flags = flags;
	run.s.regs.regs = (struct kvm_regs){.rip = 0x1000, .rsp = 0x2000, .rbp = 0x3000};
	run.s.regs.sregs = (struct kvm_sregs){.cr0 = 0x80000011, .cr3 = 0x5000, .cr4 = 0x20, .efer = 0x500};
	run.s.regs.sregs.cs.l = 1;
	vcpu_registers(&v, &regs);
	return regs;
}

static void registers_are_the_guests_own(void **state)
{
	struct vcpu_regs regs = registers(0, true);

	(void)state;
	assert_true(regs.valid);
	assert_int_equal(regs.ip, 0x1000);
	assert_int_equal(regs.root.cr3, 0x5000);
	assert_int_equal(regs.arch->id, ARCH_X86_64);
	assert_true(registers(KVM_RUN_X86_BUS_LOCK, true).valid);
	assert_false(registers(0, false).valid);
	assert_false(registers(KVM_RUN_X86_SMM, true).valid);
	assert_false(registers(GUEST_MODE, true).valid);
}

/* Asleep for another thread of the monitor, and not because it is halted. */
static void a_held_vcpu_is_told_from_a_halted_one(void **state)
{
	struct vcpu v = {.run = &run, .place = VCPU_HELD};

	(void)state;
	run.exit_reason = KVM_EXIT_INTR;
	assert_true(vcpu_is_held(&v));
	run.exit_reason = KVM_EXIT_HLT;
	assert_false(vcpu_is_held(&v));
	run.exit_reason = KVM_EXIT_INTR;
	v.place = VCPU_OUTSIDE;
	assert_false(vcpu_is_held(&v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_the_guests_own),
		cmocka_unit_test(a_held_vcpu_is_told_from_a_halted_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
