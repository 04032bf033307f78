/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables_exidx.c - ARM's own unwind tables, .ARM.exidx and .ARM.extab, which 32-bit images have instead of .eh_frame
 * (Exception Handling ABI for the Arm Architecture, "EHABI"). They hold where an exception can be thrown, at calls.
 *
 * No library reads them of another machine's files. What a function's bytes do (EHABI 10.3) is collected to a CFI row:
 * the virtual stack pointer they begin with is a register, and they only add constants to it and pop registers.
 */
#include "report/unwind/tables.h"

#include "common/array.h"
#include "format/bytes/wire.h"

#include <errno.h>
#include <stdlib.h>

#define ENTRY 8u      /* bytes: where a function begins, and its bytes or where they are */
#define CANTUNWIND 1u /* instead of them: nothing is known (EHABI 6) */
#define COMPACT (1u << 31)
#define FRAME_MAX 0x10000000 /* bytes: no frame is larger */

enum { R3 = 3, R4 = 4, SP = 13, LR = 14, PC = 15, REGS = 16 };

struct exidx {
	const struct image *image;
	struct image_section index;
};

/* --- bytes ------------------------------------------------------------------------------------------------------- */

/* The bytes of words, of each the most significant one first. */
struct stream {
	const uint8_t *words;
	size_t at, end;
};

/* Behind the last one stands what ends them. */
#define FINISH 0xb0u

static uint8_t next_byte(struct stream *s)
{
	size_t at = s->at;

	if (at >= s->end)
		return FINISH;
	s->at++;
	return s->words[at / 4 * 4 + 3 - at % 4];
}

static uint32_t next_uleb(struct stream *s)
{
	uint32_t v = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 28; shift += 7) {
		byte = next_byte(s);
		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	return FRAME_MAX;
}

/* The address that the word at @at, 31 bits relative to itself, tells. */
static uint64_t prel31(uint64_t address, uint32_t word)
{
	return (uint32_t)(address + ((word & 0x7fffffff) ^ 0x40000000) - 0x40000000);
}

/* --- what they do ------------------------------------------------------------------------------------------------ */

struct machine {
	unsigned base; /* the virtual stack pointer is this register + vsp */
	int64_t vsp;
	uint32_t popped; /* bit r: register r is at base + at[r] */
	int64_t at[REGS];
	bool refused;
};

static void pop_registers(struct machine *m, uint32_t registers)
{
	for (unsigned r = 0; r < REGS; r++)
		if (registers >> r & 1) {
			m->popped |= 1u << r;
			m->at[r] = m->vsp;
			m->vsp += 4;
		}
	m->refused |= registers >> SP & 1;
}

/* From a register. What was popped by another base is not told by a row. */
static void set_vsp(struct machine *m, unsigned r)
{
	m->refused |= r == SP || r == PC || m->popped;
	m->base = r;
	m->vsp = 0;
}

/* Registers of floating-point and other units, of which only the room matters. */
static void pass_registers(struct machine *m, unsigned n, unsigned size, unsigned more)
{
	m->vsp += n * size + more;
}

/* 1011xxxx */
static void run_b(struct machine *m, uint8_t op, struct stream *s)
{
	uint8_t operand;

	switch (op & 15) {
	case 1:
		operand = next_byte(s);
		m->refused |= operand == 0 || operand > 15;
		pop_registers(m, operand & 15);
		return;
	case 2:
		m->vsp += 0x204 + ((int64_t)next_uleb(s) << 2);
		return;
	case 3:
		pass_registers(m, (next_byte(s) & 15) + 1, 8, 4);
		return;
	case 4:
		pass_registers(m, 1, 4, 0); /* the return address' authentication code */
		return;
	default:
		m->refused |= (op & 15) < 8;
		pass_registers(m, (op & 7) + 1, 8, 4);
	}
}

/* 11xxxxxx */
static void run_c(struct machine *m, uint8_t op, struct stream *s)
{
	if (op == 0xc7)
		pass_registers(m, (unsigned)__builtin_popcount(next_byte(s) & 15), 4, 0);
	else if (op == 0xc6 || op == 0xc8 || op == 0xc9)
		pass_registers(m, (next_byte(s) & 15) + 1, 8, 0);
	else if (op < 0xc6 || (op & 0xf8) == 0xd0)
		pass_registers(m, (op & 7) + 1, 8, 0);
	else
		m->refused = true;
}

static void run_one(struct machine *m, uint8_t op, struct stream *s)
{
	uint32_t mask;

	switch (op >> 4) {
	case 0 ... 3:
		m->vsp += ((op & 0x3f) << 2) + 4;
		return;
	case 4 ... 7:
		m->vsp -= ((op & 0x3f) << 2) + 4;
		return;
	case 8:
		mask = (uint32_t)(op & 15) << 8 | next_byte(s);
		m->refused |= mask == 0;
		pop_registers(m, mask << R4);
		return;
	case 9:
		set_vsp(m, op & 15);
		return;
	case 10:
		pop_registers(m, ((2u << (op & 7)) - 1) << R4 | (uint32_t)(op >> 3 & 1) << LR);
		return;
	case 11:
		run_b(m, op, s);
		return;
	default:
		run_c(m, op, s);
	}
}

/* Where @r is, from the CFA, which is where the virtual stack pointer ends. */
static int32_t offset_of(const struct machine *m, unsigned r)
{
	return (int32_t)(m->at[r] - m->vsp);
}

static int make_exidx_row(const struct machine *m, struct cfi_row *row)
{
	unsigned ra = m->popped >> PC & 1 ? PC : LR;

	*row = (struct cfi_row){.kind = CFI_CALLER, .cfa_base = (uint8_t)m->base, .cfa_offset = (int32_t)m->vsp};
	for (unsigned r = 0; r < isa_arm.regs; r++)
		row->reg[r].where = CFI_LOST;
	for (unsigned k = 0; k < isa_arm.nkept; k++) {
		unsigned r = isa_arm.kept[k];

		row->reg[r].where = m->popped >> r & 1 ? CFI_SAVED : CFI_SAME;
		row->reg[r].offset = m->popped >> r & 1 ? offset_of(m, r) : 0;
	}
	row->reg[SP].where = CFI_VALUE;
	row->ra = m->popped >> ra & 1 ? CFI_RA_SAVED : CFI_RA_LINK;
	row->ra_offset = row->ra == CFI_RA_SAVED ? offset_of(m, ra) : 0;
	return 0;
}

static int run_bytes(struct stream *s, struct cfi_row *row)
{
	struct machine m = {.base = SP};

	for (uint8_t op = next_byte(s); op != FINISH && !m.refused; op = next_byte(s)) {
		run_one(&m, op, s);
		m.refused |= m.vsp > FRAME_MAX || m.vsp < -FRAME_MAX;
	}
	return m.refused ? -ENODATA : make_exidx_row(&m, row);
}

/* --- finding them ------------------------------------------------------------------------------------------------ */

/*
 * Those in .ARM.extab (EHABI 7.3): compact, or a personality routine's, whose bytes are as in the model that all
 * compilers' have.
 */
static bool open_table(const struct exidx *x, uint64_t address, struct stream *s)
{
	size_t left, words;
	const uint8_t *data = image_bytes(x->image, address, &left);
	uint32_t first;

	if (!data || left < 8)
		return false;
	first = peek_u32(data);
	if (!(first & COMPACT)) {
		data += 4;
		left -= 4;
		words = (size_t)data[3] + 1;
		*s = (struct stream){data, 1, 4 * words};
	} else if ((first >> 24 & 15) == 0) {
		words = 1;
		*s = (struct stream){data, 1, 4};
	} else {
		words = (size_t)data[2] + 1;
		*s = (struct stream){data, 2, 4 * words};
		if ((first >> 24 & 15) > 2)
			return false;
	}
	return words <= left / 4;
}

/* The last entry whose function does not begin above @address; NULL: none. */
static const uint8_t *find_exidx_entry(const struct exidx *x, uint64_t address)
{
	size_t low;

	ARRAY_SEARCH(low, x->index.size / ENTRY,
	             (prel31(x->index.address + ENTRY * low, peek_u32(x->index.data + ENTRY * low)) & ~1u) <= address);
	return low ? x->index.data + ENTRY * (low - 1) : NULL;
}

int exidx_row(const struct exidx *x, uint64_t address, struct cfi_row *row)
{
	const uint8_t *entry = find_exidx_entry(x, address);
	struct stream s;
	uint32_t how;
	size_t left;

	if (!entry || !image_code(x->image, address, &left))
		return -ENOENT;
	how = peek_u32(entry + 4);
	if (how == CANTUNWIND)
		return -ENOENT;
	if (!(how & COMPACT)) {
		uint64_t at = x->index.address + (uint64_t)(entry + 4 - x->index.data);

		return open_table(x, prel31(at, how), &s) ? run_bytes(&s, row) : -EBADMSG;
	}
	if (how >> 24 != COMPACT >> 24)
		return -EBADMSG;
	s = (struct stream){entry + 4, 1, 4};
	return run_bytes(&s, row);
}

struct exidx *exidx_new(struct image *image)
{
	struct image_section index;
	struct exidx *x;

	errno = ENOENT;
	if (image_isa(image) != &isa_arm || !image_section(image, ".ARM.exidx", &index) || index.size < ENTRY)
		return NULL;
	x = malloc(sizeof(*x));
	if (x)
		*x = (struct exidx){image, index};
	return x;
}
