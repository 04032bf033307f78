/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bits: Intel SDM vol. 1, 3.4.3, and vol. 3A, 2.2, 2.5 and 3.4.5; Arm ARM, C5.2 (PSTATE), G8.2 (CPSR), D17.2 (SCTLR).
 */
#include "report/view/register_text.h"

#include <stdio.h>
#include <string.h>

#define CR0_PE 0x1u
#define CR0_PG 0x80000000u
#define CR4_PAE 0x20u
#define EFER_LMA 0x400u
#define RFLAGS_VM 0x20000u
#define CPSR_THUMB 0x20u
#define CPSR_AARCH32 0x10u
#define SCTLR_M 0x1u

struct bit {
	uint8_t bit;
	const char *name;
};

/* The highest first; each ends with a name of NULL. */
static const struct bit bits_rflags[] = {{21, "ID"}, {20, "VIP"}, {19, "VIF"}, {18, "AC"}, {17, "VM"}, {16, "RF"},
                                         {14, "NT"}, {11, "OF"},  {10, "DF"},  {9, "IF"},  {8, "TF"},  {7, "SF"},
                                         {6, "ZF"},  {4, "AF"},   {2, "PF"},   {0, "CF"},  {0, NULL}};
static const struct bit bits_cr0[] = {{31, "PG"}, {30, "CD"}, {29, "NW"}, {18, "AM"}, {16, "WP"}, {5, "NE"},
                                      {4, "ET"},  {3, "TS"},  {2, "EM"},  {1, "MP"},  {0, "PE"},  {0, NULL}};
static const struct bit bits_cr4[] = {{24, "PKS"},     {23, "CET"},   {22, "PKE"},        {21, "SMAP"},  {20, "SMEP"},
                                      {18, "OSXSAVE"}, {17, "PCIDE"}, {16, "FSGSBASE"},   {14, "SMXE"},  {13, "VMXE"},
                                      {12, "LA57"},    {11, "UMIP"},  {10, "OSXMMEXCPT"}, {9, "OSFXSR"}, {8, "PCE"},
                                      {7, "PGE"},      {6, "MCE"},    {5, "PAE"},         {4, "PSE"},    {3, "DE"},
                                      {2, "TSD"},      {1, "PVI"},    {0, "VME"},         {0, NULL}};
static const struct bit bits_efer[] = {{15, "TCE"}, {14, "FFXSR"}, {13, "LMSLE"}, {12, "SVME"}, {11, "NXE"},
                                       {10, "LMA"}, {8, "LME"},    {0, "SCE"},    {0, NULL}};
static const struct bit bits_pstate[] = {{31, "N"}, {30, "Z"}, {29, "C"}, {28, "V"}, {21, "SS"}, {20, "IL"},
                                         {9, "D"},  {8, "A"},  {7, "I"},  {6, "F"},  {0, NULL}};
static const struct bit bits_cpsr[] = {{31, "N"}, {30, "Z"}, {29, "C"}, {28, "V"}, {27, "Q"}, {24, "J"},
                                       {9, "E"},  {8, "A"},  {7, "I"},  {6, "F"},  {5, "T"},  {0, NULL}};
static const struct bit bits_sctlr[] = {{19, "WXN"}, {12, "I"}, {2, "C"}, {1, "A"}, {0, "M"}, {0, NULL}};

static const struct bit *bits_of(uint32_t id, uint64_t value)
{
	switch (id) {
	case REGISTER_RFLAGS:
		return bits_rflags;
	case REGISTER_CR0:
		return bits_cr0;
	case REGISTER_CR0 + 4:
		return bits_cr4;
	case REGISTER_EFER:
		return bits_efer;
	case REGISTER_CPSR:
	case REGISTER_SPSR_EL1:
		return value & CPSR_AARCH32 ? bits_cpsr : bits_pstate;
	case REGISTER_SCTLR:
		return bits_sctlr;
	default:
		return NULL;
	}
}

static void append_word(char text[REGISTER_TEXT], const char *word)
{
	size_t n = strlen(text);

	snprintf(text + n, REGISTER_TEXT - n, "%s%s", n ? " " : "", word);
}

static const char *arm_mode(uint64_t value)
{
	static const char *const modes_32[16] = {"USR", "FIQ", "IRQ", "SVC", NULL, NULL, "MON", "ABT",
	                                         NULL,  NULL,  "HYP", "UND", NULL, NULL, NULL,  "SYS"};
	static const char *const modes_64[16] = {"EL0t", NULL, NULL, NULL, "EL1t", "EL1h"};

	return (value & CPSR_AARCH32 ? modes_32 : modes_64)[value & 15];
}

void register_flags(char text[REGISTER_TEXT], uint32_t id, uint64_t value)
{
	const struct bit *bit = bits_of(id, value);
	char privilege[16];

	text[0] = '\0';
	for (; bit && bit->name; bit++)
		if (value >> bit->bit & 1)
			append_word(text, bit->name);
	if (id == REGISTER_RFLAGS && value >> 12 & 3) {
		snprintf(privilege, sizeof(privilege), "IOPL=%u", (unsigned)(value >> 12 & 3));
		append_word(text, privilege);
	}
	if ((id == REGISTER_CPSR || id == REGISTER_SPSR_EL1) && arm_mode(value))
		append_word(text, arm_mode(value));
}

void register_segment(char text[REGISTER_TEXT], unsigned s, uint64_t attributes)
{
	unsigned type = attributes & 15, dpl = attributes >> 5 & 3;
	bool is_code = type & 8;

	text[0] = '\0';
	if (s >= SEGMENT_GDTR)
		return;
	if (!(attributes & 0x80))
		snprintf(text, REGISTER_TEXT, "not usable");
	else if (!(attributes & 0x10))
		snprintf(text, REGISTER_TEXT, "%s", s == SEGMENT_LDTR ? "LDT" : type & 8 ? "TSS" : "16-bit TSS");
	else
		snprintf(text, REGISTER_TEXT, "%s, %s, DPL %u",
		         is_code    ? "code"
		         : type & 2 ? "data"
		                    : "read-only data",
		         is_code && attributes & 0x200 ? "64-bit"
		         : attributes & 0x400          ? "32-bit"
		                                       : "16-bit",
		         dpl);
}

/* 0 if it is not known. */
static uint64_t register_value(const struct register_set *set, uint32_t id)
{
	const uint64_t *value = upf_registers_find(set, id);

	return value ? *value : 0;
}

static const char *x86_mode(const struct register_set *set, uint8_t arch)
{
	const uint64_t *cr0 = upf_registers_find(set, REGISTER_CR0);
	bool in_long_mode = register_value(set, REGISTER_EFER) & EFER_LMA;

	if (arch == UPF_ARCH_X86_64)
		return "64-bit code";
	if (arch == UPF_ARCH_X86_16 && cr0 && !(*cr0 & CR0_PE))
		return "real mode";
	if (arch == UPF_ARCH_X86_16)
		return register_value(set, REGISTER_RFLAGS) & RFLAGS_VM && !in_long_mode ? "virtual-8086 mode"
		                                                                         : "16-bit code";
	if (!cr0)
		return "32-bit code";
	if (in_long_mode)
		return "32-bit code in long mode";
	if (!(*cr0 & CR0_PG))
		return "32-bit code, paging off";
	return register_value(set, REGISTER_CR0 + 4) & CR4_PAE ? "32-bit code, PAE"
	                                                       : "32-bit code, two-level page tables";
}

bool register_thumb(const struct register_set *set)
{
	return register_value(set, REGISTER_CPSR) & CPSR_THUMB;
}

static void arm_text(char text[REGISTER_TEXT], const struct register_set *set, uint8_t arch, bool user)
{
	const uint64_t *status = upf_registers_find(set, REGISTER_CPSR),
		       *control = upf_registers_find(set, REGISTER_SCTLR);
	const char *mode = status ? arm_mode(*status) : NULL;

	snprintf(text, REGISTER_TEXT, "%s mode, %s%s%s%s", user ? "user" : "kernel",
	         arch == UPF_ARCH_ARM64 ? "AArch64"
	         : register_thumb(set)  ? "T32"
	                                : "A32",
	         mode ? " in " : "", mode ? mode : "", control && !(*control & SCTLR_M) ? ", MMU off" : "");
}

void register_mode(char text[REGISTER_TEXT], const struct register_set *set, uint8_t arch, bool user)
{
	if (arch == UPF_ARCH_ARM64 || arch == UPF_ARCH_ARM32)
		arm_text(text, set, arch, user);
	else
		snprintf(text, REGISTER_TEXT, "%s mode, %s", user ? "user" : "kernel", x86_mode(set, arch));
}

/* --- registers by their DWARF numbers ---------------------------------------------------------------------------- */

const char *const *register_names(uint32_t nregs)
{
	static const char *const x86_64[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	                                     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
	static const char *const i386[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
	static const char *const arm64[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
	                                    "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
	                                    "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	                                    "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"};
	static const char *const arm[] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
	                                  "r8", "r9", "r10", "r11", "r12", "sp", "lr"};

	return nregs == UPF_REGS ? x86_64 : nregs == UPF_REGS_I386 ? i386 : nregs == UPF_REGS_ARM64 ? arm64 : arm;
}

const uint8_t *register_order(uint32_t nregs)
{
	static const uint8_t x86_64[] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const uint8_t i386[] = {0, 3, 1, 2, 6, 7, 5, 4};
	static const uint8_t as_numbered[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

	return nregs == UPF_REGS ? x86_64 : nregs == UPF_REGS_I386 ? i386 : as_numbered;
}
