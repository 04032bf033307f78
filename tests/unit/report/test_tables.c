/* SPDX-License-Identifier: BSD-2-Clause */
/* test_tables.c - every call frame instruction as a row, and tables that no compiler makes. */
#include "tests/unit/unit.h"

#include <dwarf.h>
#include <errno.h>

#include "common/array.h"
#include "report/unwind/tables.h"
#include "format/bytes/wire.h"
#include "tests/elf.h"

#define TEXT 0x401000u
#define TABLES 0x402000u
#define BYTES 32 /* of a program */
#define NONE INT32_MIN

/* --- images ------------------------------------------------------------------------------------------------------ */

/* One description of TEXT's code, whose CIE has no augmentation: so addresses are as they are. */
struct description {
	const struct isa *isa;
	uint8_t column, code_align, data_align;
	const uint8_t *common, *own;
	size_t ncommon, nown;
};

static void add_word(struct buf *b, uint64_t v, unsigned size)
{
	uint8_t bytes[8];

	put_u64(bytes, v);
	assert_int_equal(buf_add(b, bytes, size), 0);
}

static void add_entry(struct buf *out, const struct buf *body)
{
	add_word(out, body->len, 4);
	assert_int_equal(buf_add(out, body->data, body->len), 0);
}

static void add_cie(const struct description *d, struct buf *out)
{
	const uint8_t head[] = {0, 0, 0, 0, 1, 0, d->code_align, d->data_align, d->column};
	struct buf body = {0};

	buf_add(&body, head, sizeof(head));
	buf_add(&body, d->common, d->ncommon);
	add_entry(out, &body);
	buf_free(&body);
}

/* Of the code's first @size bytes; the CIE is at the section's start. */
static void add_fde(const struct description *d, uint64_t size, struct buf *out)
{
	struct buf body = {0};

	add_word(&body, out->len + 4, 4);
	add_word(&body, TEXT, d->isa->word);
	add_word(&body, size, d->isa->word);
	buf_add(&body, d->own, d->nown);
	add_entry(out, &body);
	buf_free(&body);
}

static void make_section(const struct description *d, struct buf *out)
{
	add_cie(d, out);
	add_fde(d, 3 * 64, out);
	add_word(out, 0, 4);
}

/*
 * The row at TEXT + @offset of an image with @eh, or if a row cannot say it and @r is not NULL, one step from @r;
 * -ENXIO: there are no tables.
 */
static int step_by(const struct isa *isa, const void *eh, size_t size, uint64_t offset, struct cfi_row *row,
                   struct registers *r)
{
	static const uint8_t code[3 * 64];
	const struct elf_section sections[] = {{".text", TEXT, code, sizeof(code), true},
	                                       {".eh_frame", TABLES, eh, size, false}};
	char path[64], why[256];
	int rc = -ENXIO, fd = elf_make(sections, COUNT(sections), 0, path, sizeof(path));
	struct tables *tables;
	struct image *image;

	assert_int_equal(pwrite(fd, &isa->machine, sizeof(isa->machine), offsetof(Elf64_Ehdr, e_machine)),
	                 sizeof(isa->machine));
	image = image_open(path, why, sizeof(why));
	assert_non_null(image);
	tables = tables_new(image);
	if (tables)
		rc = tables_row(tables, TEXT + offset, row);
	if (rc == -ENOTSUP && r)
		rc = tables_step(tables, TEXT + offset, r, &(struct memory){.size = 8});
	tables_free(tables);
	image_close(image);
	close(fd);
	return rc;
}

static int row_of(const struct isa *isa, const void *eh, size_t size, uint64_t offset, struct cfi_row *row)
{
	return step_by(isa, eh, size, offset, row, NULL);
}

static int row_at(const struct description *d, uint64_t offset, struct cfi_row *row)
{
	struct buf section = {0};
	int rc;

	make_section(d, &section);
	rc = row_of(d->isa, section.data, section.len, offset, row);
	buf_free(&section);
	return rc;
}

/* --- AArch64: code in words of 4, offsets in words of -8, the link register 30 ------------------------------------ */

#define SP 31
#define LR 30
#define FP 29

static int row_of_own(const uint8_t *own, size_t n, uint64_t offset, struct cfi_row *row)
{
	static const uint8_t common[] = {DW_CFA_def_cfa, SP, 0};
	const struct description d = {.isa = &isa_arm64,
	                              .column = LR,
	                              .code_align = 4,
	                              .data_align = 0x78,
	                              .common = common,
	                              .ncommon = sizeof(common),
	                              .own = own,
	                              .nown = n};

	return row_at(&d, offset, row);
}

struct expected {
	uint8_t base;
	int32_t cfa, ra; /* ra: NONE: in the link register */
	uint8_t reg, where;
	int32_t at;
};

static void check(uint64_t offset, const struct expected *e, const uint8_t *own, size_t n)
{
	struct cfi_row row;

	assert_int_equal(row_of_own(own, n, offset, &row), 0);
	assert_int_equal(row.kind, CFI_CALLER);
	assert_int_equal(row.cfa_base, e->base);
	assert_int_equal(row.cfa_offset, e->cfa);
	assert_int_equal(row.ra, e->ra == NONE ? CFI_RA_LINK : CFI_RA_SAVED);
	if (e->ra != NONE)
		assert_int_equal(row.ra_offset, e->ra);
	assert_int_equal(row.reg[e->reg].where, e->where);
	assert_int_equal(row.reg[e->reg].offset, e->at);
}

#define BYTES_OF(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define CHECK(offset, expect, ...) check(offset, &(const struct expected)expect, BYTES_OF(__VA_ARGS__))
#define EXPECT(...) \
	{ \
		__VA_ARGS__ \
	}

TEST(what_instructions_do)
{
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAME, 0), DW_CFA_nop);
	CHECK(0, EXPECT(SP, 32, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa_offset, 32);
	CHECK(0, EXPECT(FP, 16, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa, FP, 16);
	CHECK(0, EXPECT(FP, 16, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa_sf, FP, 0x7e);
	CHECK(0, EXPECT(FP, 48, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa_offset, 48, DW_CFA_def_cfa_register, FP);
	CHECK(0, EXPECT(SP, 24, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa_offset_sf, 0x7d);
	CHECK(0, EXPECT(SP, 0, -8, 19, CFI_SAVED, -16), DW_CFA_offset | LR, 1, DW_CFA_offset | 19, 2);
	CHECK(0, EXPECT(SP, 0, -8, 19, CFI_SAVED, 8), DW_CFA_offset_extended, LR, 1, DW_CFA_offset_extended_sf, 19,
	      0x7f);
	CHECK(0, EXPECT(SP, 0, 8, 19, CFI_SAME, 0), DW_CFA_GNU_negative_offset_extended, LR, 1);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_VALUE, -24), DW_CFA_val_offset, 19, 3);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_VALUE, 8), DW_CFA_val_offset_sf, 19, 0x7f);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_LOST, 0), DW_CFA_undefined, 19);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAME, 0), DW_CFA_undefined, 19, DW_CFA_same_value, 19);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_LOST, 0), DW_CFA_register, 19, 20);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAME, 0), DW_CFA_offset | 19, 2, DW_CFA_restore | 19);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAME, 0), DW_CFA_offset | 19, 2, DW_CFA_restore_extended, 19);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAVED, -8), DW_CFA_GNU_args_size, 0x80, 1, DW_CFA_offset | 19, 1);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAVED, -8), DW_CFA_AARCH64_negate_ra_state, DW_CFA_offset | 19, 1);
	CHECK(0, EXPECT(SP, 0, NONE, SP, CFI_VALUE, 0), DW_CFA_same_value, SP);
	CHECK(0, EXPECT(SP, 0, NONE, SP, CFI_SAVED, -16), DW_CFA_offset | SP, 2); /* an interrupt's */
	/* registers that rows do not have */
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAVED, -8), DW_CFA_offset_extended, 0xff, 0xff, 0xff, 0x3f, 1,
	      DW_CFA_offset | 19, 1);
}

TEST(where_they_hold)
{
	static const uint8_t own[] = {DW_CFA_advance_loc | 1,
	                              DW_CFA_def_cfa_offset,
	                              16,
	                              DW_CFA_advance_loc1,
	                              2,
	                              DW_CFA_remember_state,
	                              DW_CFA_def_cfa_offset,
	                              32,
	                              DW_CFA_advance_loc2,
	                              1,
	                              0,
	                              DW_CFA_restore_state,
	                              DW_CFA_advance_loc4,
	                              1,
	                              0,
	                              0,
	                              0,
	                              DW_CFA_def_cfa_offset,
	                              64};
	static const int32_t cfa[] = {0, 16, 16, 32, 16, 64};
	struct cfi_row row;

	for (unsigned i = 0; i < COUNT(cfa); i++) {
		assert_int_equal(row_of_own(own, sizeof(own), 4 * i, &row), 0);
		assert_int_equal(row.cfa_offset, cfa[i]);
	}
	assert_int_equal(row_of_own(own, sizeof(own), 3 * 64, &row), -ENOENT);
}

TEST(expressions)
{
	struct cfi_row row;

	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAVED, -40), DW_CFA_expression, 19, 3, DW_OP_const1s, (uint8_t)-40,
	      DW_OP_plus);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_VALUE, 5), DW_CFA_val_expression, 19, 2, DW_OP_plus_uconst, 5);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_SAVED_BY_FP, -8), DW_CFA_expression, 19, 2, DW_OP_breg0 + FP, 0x78);
	CHECK(0, EXPECT(SP, 0, NONE, 19, CFI_LOST, 0), DW_CFA_expression, 19, 2, DW_OP_breg0 + 20, 0);
	CHECK(0, EXPECT(7, -8, NONE, 19, CFI_SAME, 0), DW_CFA_def_cfa_expression, 5, DW_OP_bregx, 7, 0, DW_OP_lit8,
	      DW_OP_minus);
	assert_int_equal(row_of_own(BYTES_OF(DW_CFA_def_cfa_expression, 5, DW_OP_breg0 + FP, 0x78, DW_OP_deref,
	                                     DW_OP_plus_uconst, 16),
	                            0, &row),
	                 0);
	assert_true(row.cfa_deref && row.cfa_offset == -8 && row.cfa_after == 16);
}

/* A return address that is in a register other than the link register has a caller all the same. */
TEST(what_a_row_cannot_say)
{
	static const struct {
		uint8_t own[12];
		int rc;
	} refused[] = {
		{{DW_CFA_register, LR, 15}, -ENODATA},
		{{DW_CFA_def_cfa, 72, 0}, -ENODATA}, /* a register of another kind */
		{{DW_CFA_def_cfa, SP, 0xff, 0xff, 0xff, 0xff, 0x7f}, -ENODATA},
		{{DW_CFA_def_cfa_expression, 0}, -ENODATA},
		{{DW_CFA_def_cfa_expression, 3, DW_OP_skip, 0xfd, 0xff}, -ENODATA}, /* for ever */
		{{DW_CFA_def_cfa_expression, 2, DW_OP_const4u, 1}, -ENODATA},       /* cut */
		{{DW_CFA_def_cfa_expression, 12}, -EBADMSG},
		{{DW_CFA_expression, 19, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, -EBADMSG},
		{{DW_CFA_set_loc, 0}, -EBADMSG},
		{{DW_CFA_restore_state}, -EBADMSG},
		{{0xa, 0xa, 0xa, 0xa, 0xa, 0xa, 0xa, 0xa, 0xa}, -EBADMSG}, /* remembers nine */
		{{0x3f}, -EBADMSG},
	};
	struct cfi_row row;

	for (size_t i = 0; i < COUNT(refused); i++)
		assert_int_equal(row_of_own(refused[i].own, sizeof(refused[i].own), 0, &row), refused[i].rc);
	assert_int_equal(row_of_own(BYTES_OF(DW_CFA_undefined, LR), 0, &row), 0);
	assert_int_equal(row.kind, CFI_ROOT);
}

/* --- other descriptions ------------------------------------------------------------------------------------------ */

TEST(i386)
{
	static const uint8_t common[] = {DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1}, own[] = {DW_CFA_offset | 5, 2};
	struct description d = {.isa = &isa_i386,
	                        .column = 8,
	                        .code_align = 1,
	                        .data_align = 0x7c,
	                        .common = common,
	                        .ncommon = sizeof(common),
	                        .own = own,
	                        .nown = sizeof(own)};
	struct cfi_row row;

	assert_int_equal(row_at(&d, 0, &row), 0);
	assert_true(row.cfa_base == 4 && row.cfa_offset == 4 && row.ra == CFI_RA_SAVED && row.ra_offset == -4);
	assert_true(row.reg[5].where == CFI_SAVED && row.reg[5].offset == -8);
	d.ncommon = 0; /* one that says nothing: as a call leaves it */
	assert_int_equal(row_at(&d, 0, &row), 0);
	assert_true(row.cfa_base == 4 && row.cfa_offset == 4 && row.ra == CFI_RA_SAVED && row.ra_offset == -4);
	d.column = 5;
	assert_int_equal(row_at(&d, 0, &row), -ENXIO);
}

/* A return address in a register: a row cannot say it, libunwind can. */
TEST(return_address_in_register)
{
	static const uint8_t common[] = {DW_CFA_def_cfa, 7, 8}, own[] = {DW_CFA_register, 16, 1};
	const struct description d = {.isa = &isa_x86_64,
	                              .column = 16,
	                              .code_align = 1,
	                              .data_align = 0x78,
	                              .common = common,
	                              .ncommon = sizeof(common),
	                              .own = own,
	                              .nown = sizeof(own)};
	struct registers r = {.ip = TEXT, .known = 1u << 1 | 1u << 7};
	struct buf section = {0};
	struct cfi_row row;

	r.reg[1] = TEXT + 100;
	r.reg[7] = 0x7000;
	make_section(&d, &section);
	assert_int_equal(step_by(d.isa, section.data, section.len, 0, &row, &r), 0);
	assert_int_equal(r.ip, TEXT + 100);
	assert_int_equal(r.reg[7], 0x7008);
	buf_free(&section);
}

/* Augmentations: of a signal's frame, signed with the second key, unknown, and longer than their data. */
TEST(augmentations)
{
	static const struct {
		const char *letters;
		uint8_t size;
		int rc;
	} given[] = {{"zRS", 1, 0}, {"zRB", 1, 0}, {"zRx", 1, -ENXIO}, {"zRRRRRRRRR", 1, -ENXIO}, {"zR", 200, -ENXIO}};
	static const uint8_t rest[] = {4, 0x78, LR}, encoding = 0, program[] = {DW_CFA_def_cfa, SP, 16};
	struct buf body = {0}, section = {0};
	struct cfi_row row;

	for (size_t i = 0; i < COUNT(given); i++) {
		section.len = body.len = 0;
		add_word(&body, UINT64_C(1) << 32, 5);
		buf_add(&body, given[i].letters, strlen(given[i].letters) + 1);
		buf_add(&body, rest, sizeof(rest));
		buf_add(&body, &given[i].size, 1);
		buf_add(&body, &encoding, 1);
		buf_add(&body, program, sizeof(program));
		add_entry(&section, &body);
		body.len = 0;
		add_word(&body, section.len + 4, 4);
		add_word(&body, TEXT, 8);
		add_word(&body, 64, 8);
		add_word(&body, 0, 1);
		add_entry(&section, &body);
		assert_int_equal(row_of(&isa_arm64, section.data, section.len, 0, &row), given[i].rc);
		if (given[i].rc == 0)
			assert_true(row.cfa_offset == 16 && row.interrupted == (given[i].letters[2] == 'S'));
	}
	buf_free(&body);
	buf_free(&section);
}

/* Of descriptions with one start, the first that covers the address is valid. */
TEST(descriptions_with_one_start)
{
	static const uint8_t common[] = {DW_CFA_def_cfa, SP, 0};
	static const uint8_t sizes[] = {128, 64, 64, 192, 32};
	struct description d = {&isa_arm64, LR, 4, 0x78, .common = common, .ncommon = sizeof(common)};
	struct buf section = {0};
	struct cfi_row row;

	add_cie(&d, &section);
	for (uint8_t i = 0; i < COUNT(sizes); i++) {
		const uint8_t own[] = {DW_CFA_def_cfa_offset, i * 16};

		d.own = own;
		d.nown = sizeof(own);
		add_fde(&d, sizes[i], &section);
	}
	add_word(&section, 0, 4);
	for (uint64_t offset = 0; offset < 3 * 64; offset += 4) {
		assert_int_equal(row_of(d.isa, section.data, section.len, offset, &row), 0);
		assert_int_equal(row.cfa_offset, offset < 128 ? 0 : 3 * 16);
	}
	buf_free(&section);
}

/* Whatever the instructions are, they end, and rows hold registers that there are. */
TEST(any_bytes)
{
	uint32_t seed = 1;

	for (unsigned i = 0; i < 20000; i++) {
		uint8_t own[BYTES];
		struct cfi_row row;

		for (size_t k = 0; k < sizeof(own); k++) {
			seed = seed * 1664525 + 1013904223;
			own[k] = (uint8_t)(seed >> 24);
		}
		if (row_of_own(own, 1 + i % BYTES, i % 64, &row) == 0 && row.kind == CFI_CALLER)
			assert_in_range(row.cfa_base, 0, SP);
	}
}
