/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/registers.h"

#include <string.h>

static const struct {
	uint16_t id;
	const char *name;
} names[] = {
	{REGISTER_PC_32, "pc"},
	{REGISTER_RIP, "rip"},
	{REGISTER_PC, "pc"},
	{REGISTER_ELR, "elr"},
	{REGISTER_RFLAGS, "rflags"},
	{REGISTER_ES, "es"},
	{REGISTER_CS, "cs"},
	{REGISTER_SS, "ss"},
	{REGISTER_DS, "ds"},
	{REGISTER_FS, "fs"},
	{REGISTER_GS, "gs"},
	{REGISTER_FS_BASE, "fs.base"},
	{REGISTER_GS_BASE, "gs.base"},
	{REGISTER_TR, "tr"},
	{REGISTER_LDTR, "ldtr"},
	{REGISTER_SPSR_FIQ, "spsr_fiq"},
	{REGISTER_SPSR_IRQ, "spsr_irq"},
	{REGISTER_SPSR_ABT, "spsr_abt"},
	{REGISTER_SPSR_UND, "spsr_und"},
	{REGISTER_SPSR_SVC, "spsr_svc"},
	{REGISTER_R8_USR, "r8_usr"},
	{REGISTER_R8_USR + 1, "r9_usr"},
	{REGISTER_R8_USR + 2, "r10_usr"},
	{REGISTER_R8_USR + 3, "r11_usr"},
	{REGISTER_R8_USR + 4, "r12_usr"},
	{REGISTER_R8_USR + 5, "sp_usr"},
	{REGISTER_R8_USR + 6, "lr_usr"},
	{REGISTER_R8_FIQ, "r8_fiq"},
	{REGISTER_R8_FIQ + 1, "r9_fiq"},
	{REGISTER_R8_FIQ + 2, "r10_fiq"},
	{REGISTER_R8_FIQ + 3, "r11_fiq"},
	{REGISTER_R8_FIQ + 4, "r12_fiq"},
	{REGISTER_R8_FIQ + 5, "sp_fiq"},
	{REGISTER_R8_FIQ + 6, "lr_fiq"},
	{REGISTER_R13_IRQ, "sp_irq"},
	{REGISTER_R13_IRQ + 1, "lr_irq"},
	{REGISTER_R13_ABT, "sp_abt"},
	{REGISTER_R13_ABT + 1, "lr_abt"},
	{REGISTER_R13_UND, "sp_und"},
	{REGISTER_R13_UND + 1, "lr_und"},
	{REGISTER_R13_SVC, "sp_svc"},
	{REGISTER_R13_SVC + 1, "lr_svc"},
	{REGISTER_CR0, "cr0"},
	{REGISTER_CR0 + 2, "cr2"},
	{REGISTER_CR0 + 3, "cr3"},
	{REGISTER_CR0 + 4, "cr4"},
	{REGISTER_CR0 + 8, "cr8"},
	{REGISTER_DR0, "dr0"},
	{REGISTER_DR0 + 1, "dr1"},
	{REGISTER_DR0 + 2, "dr2"},
	{REGISTER_DR0 + 3, "dr3"},
	{REGISTER_DR0 + 6, "dr6"},
	{REGISTER_DR0 + 7, "dr7"},
	{REGISTER_EFER, "efer"},
	{REGISTER_STAR, "star"},
	{REGISTER_LSTAR, "lstar"},
	{REGISTER_CSTAR, "cstar"},
	{REGISTER_SYSCALL_MASK, "sfmask"},
	{REGISTER_KERNEL_GS_BASE, "kernel_gs.base"},
	{REGISTER_SYSENTER_CS, "sysenter_cs"},
	{REGISTER_SYSENTER_ESP, "sysenter_esp"},
	{REGISTER_SYSENTER_EIP, "sysenter_eip"},
	{REGISTER_APIC_BASE, "apic_base"},
	{REGISTER_USER_CR3, "user_cr3"},
	{REGISTER_KERNEL_SS, "kernel_ss"},
	{REGISTER_KERNEL_SP, "kernel_sp"},
	{REGISTER_EVENT_CALLBACK, "event_callback"},
	{REGISTER_FAILSAFE_CALLBACK, "failsafe_callback"},
	{REGISTER_SYSCALL_CALLBACK, "syscall_callback"},
	{REGISTER_CPSR, "cpsr"},
	{REGISTER_SPSR_EL1, "spsr_el1"},
	{REGISTER_SP_EL0, "sp_el0"},
	{REGISTER_SP_EL1, "sp_el1"},
	{REGISTER_SCTLR, "sctlr"},
	{REGISTER_TCR, "tcr"},
	{REGISTER_TTBR0, "ttbr0"},
	{REGISTER_TTBR1, "ttbr1"},
};

/*
 * Of a part of a segment's descriptor. Bases, limits and attributes have blocks of 16 numbers each, in the order of
 * enum segment_id. NULL: it is none.
 */
static const char *segment_name(uint32_t id)
{
	static const char *const parts[][SEGMENTS] = {
		{"es.base", "cs.base", "ss.base", "ds.base", "fs.base", "gs.base", "ldtr.base", "tr.base", "gdtr.base",
	         "idtr.base"},
		{"es.limit", "cs.limit", "ss.limit", "ds.limit", "fs.limit", "gs.limit", "ldtr.limit", "tr.limit",
	         "gdtr.limit", "idtr.limit"},
		{"es.attributes", "cs.attributes", "ss.attributes", "ds.attributes", "fs.attributes", "gs.attributes",
	         "ldtr.attributes", "tr.attributes", "gdtr.attributes", "idtr.attributes"},
	};
	uint32_t part = (id - REGISTER_ES_BASE) / 16, segment = (id - REGISTER_ES_BASE) % 16;

	return id >= REGISTER_ES_BASE && part < 3 && segment < SEGMENTS ? parts[part][segment] : NULL;
}

const char *upf_register_name(uint32_t id)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].id == id)
			return names[i].name;
	return segment_name(id);
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
