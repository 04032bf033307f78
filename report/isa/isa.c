/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/isa/isa.h"

static const struct isa *const all[] = {&isa_x86_64};

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
