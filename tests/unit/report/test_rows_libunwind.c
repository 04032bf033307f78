/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rows_libunwind.c - libunwind judges the CFI rows of this machine's C and C++ libraries and of the dynamic
 * linker, at every third address that their tables cover. Registers and stack are made up: whoever takes a word from
 * another place has another value.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <link.h>

#include "report/unwind/libunwind_step.h"
#include "report/unwind/tables.h"

#define WORDS 0x8000u /* 256 KiB: glob() has the largest frame */
#define BASE 0x7f0000000000u
#define STEP 3 /* bytes: not a multiple of what code is aligned to */

struct totals {
	unsigned rows, roots, more;
};

static uint64_t words[WORDS];

static void make_stack(void)
{
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 8;
}

static struct registers make_registers(uint64_t address, const struct isa *isa)
{
	struct registers r = {.ip = address, .known = (1u << isa->regs) - 1};

	for (unsigned i = 0; i < isa->regs; i++)
		r.reg[i] = BASE + 8 * (WORDS / 2 + 64 * i);
	return r;
}

static bool word_at(const struct memory *m, uint64_t at, uint64_t *word)
{
	return memory_word(m, at, word);
}

/* The caller's value of register @r; false: not known. */
static bool caller_register(const struct isa *isa, const struct cfi_row *row, const struct registers *of, uint64_t cfa,
                            const struct memory *m, unsigned r, uint64_t *value)
{
	uint64_t at = cfa + (uint64_t)(int64_t)row->reg[r].offset;

	switch (row->reg[r].where) {
	case CFI_SAME:
		*value = of->reg[r];
		return true;
	case CFI_SAVED:
		return word_at(m, at, value);
	case CFI_VALUE:
		*value = at;
		return true;
	case CFI_SAVED_BY_FP:
		return word_at(m, of->reg[isa->fp] + (uint64_t)(int64_t)row->reg[r].offset, value);
	default:
		return false;
	}
}

/* Is the caller of the frame by @row the one that libunwind has found, @up? */
static bool agree(const struct isa *isa, const struct cfi_row *row, const struct registers *of,
                  const struct registers *up, const struct memory *m)
{
	uint64_t cfa = of->reg[row->cfa_base] + (uint64_t)(int64_t)row->cfa_offset, value;

	if (row->cfa_deref && !word_at(m, cfa, &cfa))
		return false;
	cfa += (uint64_t)(int64_t)row->cfa_after;
	if (!word_at(m, cfa + (uint64_t)(int64_t)row->ra_offset, &value) || value != up->ip)
		return false;
	for (unsigned k = 0; k < isa->nkept; k++)
		if (caller_register(isa, row, of, cfa, m, isa->kept[k], &value) && value != up->reg[isa->kept[k]])
			return false;
	return caller_register(isa, row, of, cfa, m, isa->sp, &value) && value == up->reg[isa->sp];
}

static void judge_address(struct tables *t, struct libunwind_step *judge, const struct fde *fde, uint64_t address,
                          struct totals *totals)
{
	const struct memory m = {.base = BASE, .words = words, .n = WORDS, .size = 8};
	const struct registers of = make_registers(address, &isa_x86_64);
	struct registers up = of;
	struct cfi_row row;
	int rc = tables_row(t, address, &row), judged = libunwind_step(judge, fde, address, &up, &m);

	if (rc == -ENOTSUP) {
		totals->more++;
		return;
	}
	assert_int_equal(rc, 0);
	totals->roots += row.kind == CFI_ROOT;
	totals->rows += row.kind == CFI_CALLER;
	/* A frame whose caller is in memory that the frame points to: what is made up leads nowhere. */
	if (judged == -EFAULT && row.cfa_deref)
		return;
	if (row.kind == CFI_ROOT ? judged != 1 : judged != 0 || !agree(&isa_x86_64, &row, &of, &up, &m))
		fail_msg("%#jx: libunwind has another caller (%d)", (uintmax_t)address, judged);
}

static void judge_file(const char *path, struct totals *totals)
{
	char why[256];
	struct image *image = image_open(path, why, sizeof(why));
	struct fde_index index = {0};
	struct libunwind_step *judge;
	struct tables *t;

	assert_non_null(image);
	assert_int_equal(fde_index(&index, image), 0);
	judge = libunwind_step_new(image, &index);
	t = tables_new(image);
	assert_true(judge && t);
	for (size_t i = 0; i < index.n; i++)
		for (uint64_t at = index.fdes[i].start; at < index.fdes[i].end; at += STEP)
			if (!index.fdes[i].debug && fde_find(&index, at) == &index.fdes[i])
				judge_address(t, judge, &index.fdes[i], at, totals);
	tables_free(t);
	libunwind_step_free(judge);
	fde_free(&index);
	image_close(image);
}

static int judge_object(struct dl_phdr_info *info, size_t size, void *totals)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so") || strstr(info->dlpi_name, "/ld-linux") ||
	    strstr(info->dlpi_name, "/libunwind-x86_64"))
		judge_file(info->dlpi_name, totals);
	return 0;
}

TEST(libraries_of_this_machine)
{
	struct totals totals = {0};

	make_stack();
	dl_iterate_phdr(judge_object, &totals);
	/* Signals' frames need more than a row can say. */
	print_message("# %u rows, %u roots, %u need more than a row\n", totals.rows, totals.roots, totals.more);
	assert_true(totals.rows > 100000 && totals.roots > 0 && totals.more > 0);
	assert_true(totals.more * 1000 < totals.rows);
}
