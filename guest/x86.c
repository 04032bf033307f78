/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes and their bits: Intel SDM vol. 3A, 2.5, 3.4.5, 4.1.1. */
#include "guest/x86.h"

#include <string.h>

#define CR0_PE 0x1u
#define CR0_PG 0x80000000u
#define CR4_PSE 0x10u
#define CR4_PAE 0x20u
#define CR4_LA57 0x1000u
#define EFER_LMA 0x400u
#define RFLAGS_VM 0x20000u

#define CR3_PAE 0xffffffe0u
#define CR3_LONG 0x000ffffffffff000ull

static bool canonical_48(uint64_t address)
{
	uint64_t top = address >> 47;

	return top == 0 || top == 0x1ffff;
}

static bool canonical_57(uint64_t address)
{
	uint64_t top = address >> 56;

	return top == 0 || top == 0xff;
}

static bool x86_canonical_32(uint64_t address)
{
	return address >> 32 == 0;
}

/* --- near calls -------------------------------------------------------------------------------------------------- */

/* They are told by the bytes that end with them (Intel SDM vol. 2A, CALL, and chapter 2, ModR/M and SIB). */
#define CALL_REL32 0xe8u /* and four bytes */
#define GROUP_5 0xffu    /* a call if the ModR/M byte's middle field is 2 */
#define RM_SIB 4u
#define RM_DISP32 5u /* with mod 0: an address of four bytes, in 64-bit mode relative to rip */

/* How long is FF /2 with these bytes behind FF, of which there are @room - 1? 0: it is another instruction. */
static unsigned indirect_length(const uint8_t *modrm, unsigned room)
{
	unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, length = 2;

	if ((modrm[0] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return length;
	if (rm == RM_SIB) {
		if (++length > room)
			return 0;
		rm = modrm[1] & 7;
	}
	if (mod == 0)
		return rm == RM_DISP32 ? length + 4 : length;
	return mod == 1 ? length + 1 : length + 4;
}

bool x86_ends_call(const uint8_t *code)
{
	const uint8_t *end = code + ARCH_CALL_BYTES;

	if (end[-5] == CALL_REL32)
		return true;
	for (unsigned n = 2; n <= 7; n++)
		if (end[-(int)n] == GROUP_5 && indirect_length(end - n + 1, n) == n)
			return true;
	return false;
}

/* --- modes ------------------------------------------------------------------------------------------------------- */

#define MODE_64(check, walk) \
	{ \
		.id = ARCH_X86_64, .word = 8, .return_offset = 8, .canonical = (check), .translate = (walk), \
		.ends_call = x86_ends_call, \
	}
#define MODE_32(walk) \
	{ \
		.id = ARCH_X86_32, .registers = 8, .word = 4, .return_offset = 4, .canonical = x86_canonical_32, \
		.translate = (walk), .ends_call = x86_ends_call, \
	}

const struct arch arch_x86_64_pv = MODE_64(canonical_48, x86_walk_pv);
const struct arch arch_x86_32_pv = MODE_32(x86_walk_pv_pae);
static const struct arch long_5 = MODE_64(canonical_57, x86_walk_5), long_4 = MODE_64(canonical_48, x86_walk_4);
/* 32-bit code, in long mode and out of it. */
static const struct arch compat_5 = MODE_32(x86_walk_5), compat_4 = MODE_32(x86_walk_4), pae = MODE_32(x86_walk_pae),
			 two_large = MODE_32(x86_walk_2_large), two = MODE_32(x86_walk_2),
			 flat = MODE_32(x86_walk_none);
/* Real mode, and 16-bit code in segments: few stacks there can be followed, so none is. */
static const struct arch sixteen = {.id = ARCH_X86_16, .registers = 8, .word = 2, .canonical = x86_canonical_32};

static const struct arch *arch_of(const struct x86_state *s)
{
	bool in_long_mode = s->efer & EFER_LMA, la57 = s->cr4 & CR4_LA57;

	if (in_long_mode && s->cs_l)
		return la57 ? &long_5 : &long_4;
	if (!(s->cr0 & CR0_PE) || !s->cs_d || (s->rflags & RFLAGS_VM && !in_long_mode))
		return &sixteen;
	if (in_long_mode)
		return la57 ? &compat_5 : &compat_4;
	if (!(s->cr0 & CR0_PG))
		return &flat;
	if (s->cr4 & CR4_PAE)
		return &pae;
	return s->cr4 & CR4_PSE ? &two_large : &two;
}

/* The page tables' address; 0 where there are none, so that it is one address space. */
static uint64_t root_of(const struct x86_state *s)
{
	if (!(s->cr0 & CR0_PG))
		return 0;
	if (s->efer & EFER_LMA)
		return s->cr3 & CR3_LONG;
	return s->cr3 & (s->cr4 & CR4_PAE ? CR3_PAE : ~(uint32_t)(GUEST_PAGE_SIZE - 1));
}

enum arch_id x86_guest_arch(const struct x86_state *s)
{
	return s->cr0 & CR0_PG && !(s->efer & EFER_LMA) ? ARCH_X86_32 : ARCH_X86_64;
}

void x86_renumber(uint64_t *all)
{
	static const uint8_t from[] = {0, 2, 1, 3, 7, 6, 4, 5};
	uint64_t old[16];

	memcpy(old, all, sizeof(old));
	memset(all, 0, sizeof(old));
	for (size_t i = 0; i < sizeof(from); i++)
		all[i] = (uint32_t)old[from[i]];
}

void x86_mode(const struct x86_state *s, struct vcpu_regs *regs)
{
	const struct arch *arch = arch_of(s);
	bool is_64 = arch->id == ARCH_X86_64; /* ignores the segments' bases */

	regs->arch = arch;
	regs->root.cr3 = root_of(s);
	regs->code_base = is_64 ? 0 : s->cs_base;
	regs->stack_base = is_64 ? 0 : s->ss_base;
	regs->ip = is_64 ? s->ip : (uint32_t)(s->cs_base + s->ip);
	regs->sp = is_64 || !s->sp ? s->sp : (uint32_t)(s->ss_base + s->sp);
	regs->fp = is_64 || !(uint32_t)s->fp ? s->fp : (uint32_t)(s->ss_base + s->fp);
	regs->user = s->privilege == 3;
	regs->valid = true;
	if (!is_64)
		x86_renumber(regs->all);
}
