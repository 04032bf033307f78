/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/registers.h"

#include <string.h>

#define RUN_MAX 22

/* Registers whose numbers follow each other, from @first on; NULL: there is none. */
static const struct {
	uint16_t first;
	const char *names[RUN_MAX];
} runs[] = {
	{REGISTER_PC_32, {"pc", "rip"}},
	{REGISTER_PC, {"pc", "elr"}},
	{REGISTER_RFLAGS, {"rflags", "es", "cs", "ss", "ds", "fs", "gs"}},
	{REGISTER_FS_BASE, {"fs.base", "gs.base"}},
	{REGISTER_TR, {"tr", "ldtr"}},
	{REGISTER_SPSR_FIQ, {"spsr_fiq", "spsr_irq", "spsr_abt", "spsr_und", "spsr_svc"}},
	{REGISTER_R8_USR, {"r8_usr", "r9_usr",  "r10_usr", "r11_usr", "r12_usr", "sp_usr", "lr_usr", "r8_fiq",
                           "r9_fiq", "r10_fiq", "r11_fiq", "r12_fiq", "sp_fiq",  "lr_fiq", "sp_irq", "lr_irq",
                           "sp_abt", "lr_abt",  "sp_und",  "lr_und",  "sp_svc",  "lr_svc"}},
	{REGISTER_CR0, {"cr0", NULL, "cr2", "cr3", "cr4", NULL, NULL, NULL, "cr8"}},
	{REGISTER_DR0, {"dr0", "dr1", "dr2", "dr3", NULL, NULL, "dr6", "dr7"}},
	{REGISTER_EFER,
         {"efer", "star", "lstar", "cstar", "sfmask", "kernel_gs.base", "sysenter_cs", "sysenter_esp", "sysenter_eip",
          "apic_base"}},
	{REGISTER_ES_BASE,
         {"es.base", "cs.base", "ss.base", "ds.base", "fs.base", "gs.base", "ldtr.base", "tr.base", "gdtr.base",
          "idtr.base"}},
	{REGISTER_ES_LIMIT,
         {"es.limit", "cs.limit", "ss.limit", "ds.limit", "fs.limit", "gs.limit", "ldtr.limit", "tr.limit",
          "gdtr.limit", "idtr.limit"}},
	{REGISTER_ES_ATTRIBUTES,
         {"es.attributes", "cs.attributes", "ss.attributes", "ds.attributes", "fs.attributes", "gs.attributes",
          "ldtr.attributes", "tr.attributes", "gdtr.attributes", "idtr.attributes"}},
	{REGISTER_USER_CR3,
         {"user_cr3", "kernel_ss", "kernel_sp", "event_callback", "failsafe_callback", "syscall_callback"}},
	{REGISTER_CPSR, {"cpsr", "spsr_el1", "sp_el0", "sp_el1", "sctlr", "tcr", "ttbr0", "ttbr1"}},
};

const char *upf_register_name(uint32_t id)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (id >= runs[i].first && id - runs[i].first < RUN_MAX && runs[i].names[id - runs[i].first])
			return runs[i].names[id - runs[i].first];
	return NULL;
}

void upf_registers_add(struct register_set *set, uint32_t id, uint64_t value)
{
	if (set->n == REGISTERS_MAX)
		return;
	set->of[set->n].id = id;
	set->of[set->n++].value = value;
}

const uint64_t *upf_registers_find(const struct register_set *set, uint32_t id)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (set->of[i].id == id)
			return &set->of[i].value;
	return NULL;
}

void registers_read(struct register_set *set, const struct register_field *fields, size_t n, const void *from)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = 0;

		/* Hosts that run guests are little-endian, as these are. */
		memcpy(&value, (const uint8_t *)from + fields[i].offset, fields[i].size);
		upf_registers_add(set, fields[i].id, value);
	}
}
