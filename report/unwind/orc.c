/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orc.c - ORC as in Linux' arch/x86/include/asm/orc_types.h (layout) and arch/x86/kernel/unwind_orc.c (meaning).
 * Linux 6.4 changed the layout: the kind of an entry got a third bit, and other values. A header that tells came
 * later still, so the entries themselves must tell: nearly all of them are for ordinary calls.
 */
#include "report/unwind/tables.h"

#include "common/array.h"
#include "format/bytes/wire.h"
#include "report/isa/x86.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY 6 /* bytes */

enum {
	BASE_NONE = 0,
	BASE_CFA = 1,
	BASE_DX = 2,
	BASE_DI = 3,
	BASE_FP = 4,
	BASE_SP = 5,
	BASE_R10 = 6,
	BASE_R13 = 7,
	BASE_FP_INDIRECT = 8,
	BASE_SP_INDIRECT = 9
};

/* One entry, in either layout. */
enum kind { KIND_UNDEFINED, KIND_END, KIND_CALL, KIND_REGS, KIND_IRET };

struct entry {
	enum kind kind;
	uint8_t sp_base, fp_base;
	int16_t sp_offset, fp_offset;
};

/* An entry of a module, put in its place. */
struct placed {
	uint64_t address;
	size_t entry;
	bool ends; /* what comes before it, without beginning anything */
};

struct orc {
	struct image_section ip, table;
	size_t n;
	struct placed *placed; /* a module's, n of them in order; NULL: vmlinux */
	bool three_bits;       /* Linux 6.4 and later */
};

static uint16_t orc_word(const struct orc *o, size_t i)
{
	return peek_u16(o->table.data + i * ENTRY + 4);
}

/* Calls have kind 0 of two bits, or 2 of three. */
static bool find_layout(struct orc *o)
{
	size_t old = 0, new = 0;

	for (size_t i = 0; i < o->n; i++) {
		uint16_t w = orc_word(o, i);

		if ((w & 0xf) != BASE_SP)
			continue;
		old += (w >> 8 & 3) == 0;
		new += (w >> 8 & 7) == 2;
	}
	o->three_bits = new > old;
	return old != new;
}

struct orc *orc_new(struct image *image)
{
	struct orc *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	errno = ENOENT;
	if (image_isa(image) == &isa_x86_64 && image_section(image, ".orc_unwind_ip", &o->ip) &&
	    image_section(image, ".orc_unwind", &o->table)) {
		o->n = o->ip.size / 4 < o->table.size / ENTRY ? o->ip.size / 4 : o->table.size / ENTRY;
		errno = EPROTO;
		if (find_layout(o))
			return o;
	}
	free(o);
	return NULL;
}

void orc_free(struct orc *o)
{
	if (o)
		free(o->placed);
	free(o);
}

/* The address from which entry @i holds; it is stored relative to the entry. */
static uint64_t address_at(const struct orc *o, size_t i)
{
	if (o->placed)
		return o->placed[i].address;
	return o->ip.address + i * 4 + (uint64_t)(int32_t)peek_u32(o->ip.data + i * 4);
}

static bool find_orc_entry(const struct orc *o, uint64_t address, size_t *found)
{
	size_t low;

	ARRAY_SEARCH(low, o->n, address_at(o, low) <= address);
	*found = low - 1;
	return low != 0;
}

static struct entry orc_entry(const struct orc *o, size_t i)
{
	static const uint8_t two_bits[] = {KIND_CALL, KIND_REGS, KIND_IRET, KIND_UNDEFINED};
	static const uint8_t three_bits[] = {KIND_UNDEFINED, KIND_END,       KIND_CALL,      KIND_REGS,
	                                     KIND_IRET,      KIND_UNDEFINED, KIND_UNDEFINED, KIND_UNDEFINED};
	const uint8_t *at = o->table.data + i * ENTRY;
	uint16_t w = orc_word(o, i);
	struct entry e = {.sp_offset = (int16_t)peek_u16(at),
	                  .fp_offset = (int16_t)peek_u16(at + 2),
	                  .sp_base = w & 0xf,
	                  .fp_base = w >> 4 & 0xf};

	if (o->three_bits)
		e.kind = (enum kind)three_bits[w >> 8 & 7];
	else if (e.sp_base == BASE_NONE)
		e.kind = w >> 10 & 1 ? KIND_END : KIND_UNDEFINED;
	else
		e.kind = (enum kind)two_bits[w >> 8 & 3];
	return e;
}

static bool set_orc_base(struct cfi_row *row, const struct entry *e)
{
	static const uint8_t registers[16] = {
		[BASE_DX] = X86_RDX,  [BASE_DI] = X86_RDI,  [BASE_FP] = X86_FP,          [BASE_SP] = X86_SP,
		[BASE_R10] = X86_R10, [BASE_R13] = X86_R13, [BASE_FP_INDIRECT] = X86_FP, [BASE_SP_INDIRECT] = X86_SP};

	if (registers[e->sp_base] == 0) /* rax, which is never one */
		return false;
	row->cfa_base = registers[e->sp_base];
	row->cfa_deref = e->sp_base >= BASE_FP_INDIRECT;
	/* (rsp) + offset since Linux 5.12, (rbp + offset) always; the registers of entry code have none. */
	if (e->sp_base == BASE_SP_INDIRECT)
		row->cfa_after = e->sp_offset;
	else if (e->sp_base == BASE_FP || e->sp_base == BASE_SP || e->sp_base == BASE_FP_INDIRECT)
		row->cfa_offset = e->sp_offset;
	return true;
}

static void set_saved(struct cfi_row *row, unsigned r, int32_t offset)
{
	row->reg[r].where = CFI_SAVED;
	row->reg[r].offset = offset;
}

/* struct pt_regs lies at what would be the CFA. */
static void set_regs(struct cfi_row *row)
{
	static const uint8_t at[X86_REGS] = {
		[X86_R15] = 0,  [X86_R14] = 8,   [X86_R13] = 16,  [X86_R12] = 24, [X86_FP] = 32,  [X86_RBX] = 40,
		[X86_R11] = 48, [X86_R10] = 56,  [X86_R9] = 64,   [X86_R8] = 72,  [X86_RAX] = 80, [X86_RCX] = 88,
		[X86_RDX] = 96, [X86_RSI] = 104, [X86_RDI] = 112, [X86_SP] = 152,
	};

	for (unsigned r = 0; r < X86_REGS; r++)
		set_saved(row, r, at[r]);
	row->ra_offset = 128;
	row->interrupted = true;
}

/* Only what the processor pushes: ip, cs, flags, sp, ss. */
static void set_iret(struct cfi_row *row)
{
	set_saved(row, X86_SP, 24);
	row->ra_offset = 0;
	row->interrupted = true;
}

static bool set_fp(struct cfi_row *row, const struct entry *e)
{
	if (e->fp_base == BASE_CFA)
		set_saved(row, X86_FP, e->fp_offset);
	else if (e->fp_base == BASE_FP)
		row->reg[X86_FP].where = CFI_SAVED_BY_FP, row->reg[X86_FP].offset = e->fp_offset;
	return e->fp_base == BASE_CFA || e->fp_base == BASE_FP || e->fp_base == BASE_NONE;
}

int orc_row(const struct orc *o, uint64_t address, struct cfi_row *row)
{
	struct entry e;
	size_t i;

	if (o->n == 0 || !find_orc_entry(o, address, &i))
		return -ENOENT;
	e = orc_entry(o, o->placed ? o->placed[i].entry : i);
	/* Between a module's sections may lie another module. */
	if (e.kind == KIND_UNDEFINED)
		return o->placed || i + 1 == o->n ? -ENOENT : -ENODATA;
	memset(row, 0, sizeof(*row));
	row->kind = e.kind == KIND_END ? CFI_ROOT : CFI_CALLER;
	if (e.kind == KIND_END)
		return 0;
	row->ra_offset = -8;
	for (unsigned r = 0; r < X86_REGS; r++)
		row->reg[r].where = CFI_LOST; /* ORC tells of no other */
	row->reg[X86_SP].where = CFI_VALUE;
	row->reg[X86_FP].where = CFI_SAME;
	if (!set_orc_base(row, &e) || !set_fp(row, &e))
		return -ENODATA;
	if (e.kind == KIND_REGS)
		set_regs(row);
	else if (e.kind == KIND_IRET)
		set_iret(row);
	return 0;
}

/* --- modules ----------------------------------------------------------------------------------------------------- */

static int compare_placed(const void *va, const void *vb)
{
	const struct placed *a = va, *b = vb;

	if (a->address != b->address)
		return a->address > b->address ? 1 : -1;
	return b->ends - a->ends; /* the last of several at one address holds */
}

/* What the kernel's loader does: relocates where each entry begins to hold (R_X86_64_PC32), then sorts. */
static void place_entries(struct orc *o, const struct module *module, const struct image_section *relocations)
{
	size_t n = 0;

	for (size_t i = 0; i < relocations->size / sizeof(Elf64_Rela) && n < o->n; i++) {
		const uint8_t *at = relocations->data + i * sizeof(Elf64_Rela);
		uint64_t offset = peek_u64(at), info = peek_u64(at + 8), address;

		if (offset % 4 != 0 || offset / 4 >= o->n || ELF64_R_TYPE(info) != R_X86_64_PC32 ||
		    !module_address(module, (uint32_t)ELF64_R_SYM(info), &address))
			continue;
		o->placed[n++] = (struct placed){address + peek_u64(at + 16), (size_t)(offset / 4),
		                                 orc_entry(o, (size_t)(offset / 4)).kind == KIND_UNDEFINED};
	}
	o->n = n;
	array_sort(o->placed, n, sizeof(*o->placed), compare_placed);
}

struct orc *orc_of_module(struct image *image, const struct module *module)
{
	struct orc *o = orc_new(image);
	struct image_section relocations;

	if (!o)
		return NULL;
	o->placed = calloc(o->n, sizeof(*o->placed));
	errno = o->placed ? ENOENT : ENOMEM;
	if (!o->placed || !image_section(image, ".rela.orc_unwind_ip", &relocations)) {
		orc_free(o);
		return NULL;
	}
	place_entries(o, module, &relocations);
	return o;
}
