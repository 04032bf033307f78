/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/isa/isa.h"
#include "format/upf.h"

static const struct isa *const all[] = {&isa_x86_64, &isa_i386, &isa_arm64, &isa_arm};

const struct isa *isa_of_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->machine == machine)
			return all[i];
	return NULL;
}

const struct isa *isa_of_arch(uint8_t arch)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->arch == arch)
			return all[i];
	return NULL;
}

static bool is_x86(uint8_t arch)
{
	return arch == UPF_ARCH_X86_64 || arch == UPF_ARCH_X86_32 || arch == UPF_ARCH_X86_16;
}

bool isa_runs_on(const struct isa *isa, uint8_t arch)
{
	bool is_arm = arch == UPF_ARCH_ARM64 || arch == UPF_ARCH_ARM32;

	return is_x86(isa->arch) ? is_x86(arch) : is_arm;
}
