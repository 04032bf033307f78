/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains from what a sample came with: where they end and why. That they are right at every instruction of real
 * programs is held by tests/steps.
 */
#include "tests/unit/unit.h"

#include "report/isa/x86.h"
#include "report/unwind/tables.h"
#include "report/unwind/unwind.h"
#include "tests/elf.h"

#include <errno.h>

#define TEXT 0xffffffff81000000u
#define STACK 0xffff880000001000u
#define PAGE (TEXT + 0x10000) /* of hypercalls */

/* A function's size; three of them make the text. */
#define SIZE 16

/*
 * first: push %rbp; mov %rsp,%rbp; call second; pop %rbp; ret. second: call third; ret. third: ret, and behind it
 * call first.
 */
static const uint8_t text[3 * SIZE] = {
	[0] = 0x55,
	[1] = 0x48,
	[2] = 0x89,
	[3] = 0xe5,
	[4] = 0xe8,
	[5] = 7,
	[9] = 0x5d,
	[10] = 0xc3,
	[SIZE] = 0xe8,
	[SIZE + 1] = 11,
	[SIZE + 5] = 0xc3,
	[2 * SIZE] = 0xc3,
	[2 * SIZE + 1] = 0xe8,
	[2 * SIZE + 2] = 0xda,
	[2 * SIZE + 3] = 0xff,
	[2 * SIZE + 4] = 0xff,
	[2 * SIZE + 5] = 0xff,
};
#define BEHIND_SECOND (TEXT + 9)       /* in first */
#define BEHIND_THIRD (TEXT + SIZE + 5) /* in second */
#define BEHIND_FIRST (TEXT + 2 * SIZE + 6)

struct fixture {
	struct symbols symbols;
	struct cfi *rows;
	int fd;
	uint64_t words[64], regs[UPF_REGS];
	struct upf_record sample;
	struct chain chain;
};

static void prepare(struct fixture *f, const uint8_t code[3 * SIZE], bool image)
{
	const struct elf_section section = {".text", TEXT, code, 3 * SIZE, true};
	char path[64], why[256];
	struct symbol page = {.start = PAGE, .size = 4096};

	f->fd = elf_make(&section, 1, 0, path, sizeof(path));
	assert_int_equal(symbols_add_file(&f->symbols, path, NULL, why, sizeof(why)), 0);
	assert_int_equal(symbols_add(&f->symbols, page, "hypercall_page", strlen("hypercall_page")), 0);
	assert_int_equal(symbols_sort(&f->symbols), 0);
	f->rows = cfi_new(&f->symbols);
	assert_non_null(f->rows);
	cfi_enter(f->rows, &isa_x86_64, true);
	if (image)
		assert_int_equal(cfi_add_image(f->rows, path, 0, why, sizeof(why)), 0);
	f->regs[6] = STACK + 0x100;
	f->regs[7] = STACK;
	f->sample = (struct upf_record){.end = UPF_END_UNMAPPED,
	                                .words = f->words,
	                                .nwords = COUNT(f->words),
	                                .regs = f->regs,
	                                .nregs = UPF_REGS,
	                                .sp = STACK,
	                                .fp = STACK + 0x100};
}

static void setup(struct fixture *f)
{
	prepare(f, text, true);
}

static void setup_names(struct fixture *f)
{
	prepare(f, text, false);
}

static void teardown(struct fixture *f)
{
	cfi_free(f->rows);
	symbols_free(&f->symbols);
	close(f->fd);
}

/* --- copies ------------------------------------------------------------------------------------------------------ */

/* The stack of third, called by second, called by first, which has a frame, called by nobody. */
FIXTURE_TEST(whole_chain)
{
	f->words[0] = BEHIND_THIRD;
	f->words[1] = BEHIND_SECOND;
	f->words[2] = 0x1234;
	f->words[3] = 0;
	unwind_copy(f->rows, &f->sample, TEXT + 2 * SIZE, &f->chain);
	assert_int_equal(f->chain.n, 3);
	assert_int_equal(f->chain.end, UPF_END_ROOT);
	assert_true(f->chain.frame[1].address == BEHIND_THIRD && f->chain.frame[2].address == BEHIND_SECOND);
	assert_int_equal(f->chain.frame[0].flags, FRAME_EXACT);
	assert_int_equal(f->chain.frame[1].flags, 0);
}

/* A copy that ends before the stack does is truncated; a page that the guest does not have is another matter. */
FIXTURE_TEST(copy_too_short)
{
	static const uint8_t ends[][2] = {
		{UPF_END_DEPTH, CHAIN_END_COPY}, {UPF_END_UNMAPPED, UPF_END_UNMAPPED}, {UPF_END_COLD, UPF_END_COLD}};

	f->words[0] = BEHIND_THIRD;
	f->sample.nwords = 1;
	for (size_t i = 0; i < COUNT(ends); i++) {
		f->sample.end = ends[i][0];
		unwind_copy(f->rows, &f->sample, TEXT + 2 * SIZE, &f->chain);
		assert_int_equal(f->chain.n, 2);
		assert_int_equal(f->chain.end, ends[i][1]);
	}
}

FIXTURE_TEST(no_call_before)
{
	static const uint64_t bad[] = {TEXT + 3, BEHIND_SECOND, 0x1000,
	                               UINT64_MAX}; /* no call; a call of another function; no code */

	for (size_t i = 0; i < COUNT(bad); i++) {
		f->words[0] = bad[i];
		unwind_copy(f->rows, &f->sample, TEXT + 2 * SIZE, &f->chain);
		assert_int_equal(f->chain.n, 1);
		assert_int_equal(f->chain.end, CHAIN_END_UNSURE);
	}
}

FIXTURE_TEST(code_not_known)
{
	unwind_copy(f->rows, &f->sample, 0x400000, &f->chain);
	assert_int_equal(f->chain.n, 1);
	assert_int_equal(f->chain.end, CHAIN_END_UNKNOWN);
	f->sample.user = true;
	unwind_copy(f->rows, &f->sample, 0x400000, &f->chain);
	assert_int_equal(f->chain.end, CHAIN_END_USER);
}

/* --- hypercall stubs --------------------------------------------------------------------------------------------- */

FIXTURE_TEST(stubs)
{
	static const struct {
		uint64_t offset;
		int pushed;
		bool pv;
	} at[] = {
		{29 * 32, 0, true},      {29 * 32 + 1, 1, true},  {29 * 32 + 3, 2, true},  {29 * 32 + 8, 2, true},
		{29 * 32 + 10, 2, true}, {29 * 32 + 12, 1, true}, {29 * 32 + 13, 0, true}, {0, 0, false},
		{5, 0, false},           {8, 0, false},
	};

	for (size_t i = 0; i < COUNT(at); i++) {
		memset(f->words, 0xee, sizeof(f->words));
		f->words[at[i].pushed] = BEHIND_SECOND;
		f->words[at[i].pushed + 1] = f->words[at[i].pushed + 2] = 0;
		cfi_enter(f->rows, &isa_x86_64, at[i].pv);
		unwind_copy(f->rows, &f->sample, PAGE + at[i].offset, &f->chain);
		assert_int_equal(f->chain.n, 2);
		assert_true(f->chain.frame[1].address == BEHIND_SECOND);
	}
	cfi_enter(f->rows, &isa_x86_64, true);
	unwind_copy(f->rows, &f->sample, PAGE + 23 * 32 + 10, &f->chain); /* iret does not return */
	assert_int_equal(f->chain.end, CHAIN_END_UNKNOWN);
	unwind_copy(f->rows, &f->sample, PAGE + 2, &f->chain); /* inside an instruction */
	assert_int_equal(f->chain.end, CHAIN_END_UNKNOWN);
}

/* --- windows ----------------------------------------------------------------------------------------------------- */

/* Two functions without a frame, one above the other, below one that has one. */
FIXTURE_TEST(two_put_back)
{
	const uint64_t frames[] = {TEXT + 2 * SIZE, 0xffffffff81555555};

	f->words[0] = BEHIND_THIRD;
	f->words[1] = BEHIND_SECOND;
	f->sample.fp = STACK + 16;
	repair_chain(f->rows, &f->sample, frames, 2, &f->chain);
	assert_int_equal(f->chain.n, 4);
	assert_true(f->chain.frame[1].address == BEHIND_THIRD && f->chain.frame[2].address == BEHIND_SECOND);
	assert_true(f->chain.frame[3].address == frames[1] && f->chain.restored && !f->chain.uncertain);
	assert_int_equal(f->chain.frame[2].flags, FRAME_RESTORED);
	assert_int_equal(f->chain.frame[3].flags, 0);
}

/* Nothing is made up: what is no return address for sure is left out, and said. */
FIXTURE_TEST(nothing_made_up)
{
	static const uint64_t bad[] = {0, TEXT + 3, 0xffffffff81999999};
	const uint64_t frames[] = {TEXT + 2 * SIZE, 0xffffffff81555555};

	for (size_t i = 0; i < COUNT(bad); i++) {
		f->words[0] = bad[i];
		repair_chain(f->rows, &f->sample, frames, 2, &f->chain);
		assert_true(f->chain.uncertain && !f->chain.restored);
	}
	f->words[0] = BEHIND_THIRD;
	f->sample.nwords = 0;
	repair_chain(f->rows, &f->sample, frames, 2, &f->chain);
	assert_true(!f->chain.restored && f->chain.uncertain);
}

/*
 * first is what an interrupt begins: push %rax; call second; pop %rax; iretq. second handles it, third was interrupted:
 * push %rbp; mov %rsp,%rbp; nop; pop %rbp; ret.
 */
static const uint8_t interrupt[3 * SIZE] = {
	0x50,
	0xe8,
	0x0a,
	0,
	0,
	0,
	0x58,
	0x48,
	0xcf,
	[SIZE] = 0x55,
	0x48,
	0x89,
	0xe5,
	0x90,
	0x5d,
	0xc3,
	[2 * SIZE] = 0x55,
	0x48,
	0x89,
	0xe5,
	0x90,
	0x5d,
	0xc3,
};
static void setup_interrupt(struct fixture *f)
{
	prepare(f, interrupt, true);
}

/* Frame pointers lead from the handler to the caller of what was interrupted; the window has that, or ends below it. */
TEST_WITH(over_an_interrupt, struct fixture, f, setup_interrupt, teardown)
{
	const uint64_t frames[] = {TEXT + SIZE + 4, TEXT + 6, 0xffffffff81555555}, came = TEXT + 2 * SIZE + 4;

	f->sample.fp = STACK;
	f->words[1] = frames[1];
	f->words[3] = came;
	f->words[10] = frames[2]; /* the frame of third is at the ninth word */
	repair_chain(f->rows, &f->sample, frames, 3, &f->chain);
	assert_int_equal(f->chain.n, 4);
	assert_true(f->chain.frame[2].address == came && f->chain.frame[3].address == frames[2]);
	assert_int_equal(f->chain.frame[2].flags, FRAME_RESTORED | FRAME_EXACT);
	assert_true(f->chain.restored && !f->chain.uncertain);
	f->sample.nwords = 3;
	repair_chain(f->rows, &f->sample, frames, 3, &f->chain);
	assert_int_equal(f->chain.n, 3);
	assert_true(!f->chain.restored && f->chain.uncertain);
}

/* With the frame made the walk is right, whatever lies in the window. */
FIXTURE_TEST(frame_made)
{
	const uint64_t frames[] = {TEXT + 4, 0xffffffff81555555};

	f->words[0] = BEHIND_THIRD;
	f->sample.fp = STACK;
	repair_chain(f->rows, &f->sample, frames, 2, &f->chain);
	assert_true(!f->chain.restored && !f->chain.uncertain);
}

/*
 * Without a stack pointer: first, whose frame it is, has called second. It has not called third, which lacks two
 * callers; and a function with a frame lacks none.
 */
FIXTURE_TEST(no_stack_pointer)
{
	const uint64_t second[] = {TEXT + SIZE, BEHIND_FIRST}, third[] = {TEXT + 2 * SIZE, BEHIND_FIRST},
		       first[] = {TEXT + 4, BEHIND_FIRST}, unknown[] = {TEXT + SIZE, 0xffffffff81555555};

	f->sample.sp = 0;
	f->sample.nwords = 0;
	repair_chain(f->rows, &f->sample, second, 2, &f->chain);
	assert_true(f->chain.n == 3 && f->chain.restored && !f->chain.uncertain);
	assert_true(f->chain.frame[1].address == BEHIND_SECOND && f->chain.frame[2].address == BEHIND_FIRST);
	assert_int_equal(f->chain.frame[1].flags, FRAME_RESTORED);
	repair_chain(f->rows, &f->sample, third, 2, &f->chain);
	assert_true(f->chain.n == 2 && !f->chain.restored && f->chain.uncertain);
	repair_chain(f->rows, &f->sample, first, 2, &f->chain);
	assert_true(f->chain.n == 2 && !f->chain.restored && !f->chain.uncertain);
	repair_chain(f->rows, &f->sample, unknown, 2, &f->chain);
	assert_true(!f->chain.restored && f->chain.uncertain);
	repair_chain(f->rows, &f->sample, second, 1, &f->chain);
	assert_true(f->chain.n == 1 && f->chain.uncertain);
}

TEST_WITH(names_alone, struct fixture, f, setup_names, teardown)
{
	const uint64_t first[] = {TEXT + SIZE, 0xffffffff81555555}, pushed[] = {TEXT + 1, 0xffffffff81555555},
		       inside[] = {TEXT + SIZE + 6, 0xffffffff81555555};

	f->words[0] = BEHIND_SECOND;
	repair_chain(f->rows, &f->sample, first, 2, &f->chain);
	assert_true(f->chain.n == 3 && f->chain.frame[1].address == BEHIND_SECOND &&
	            f->chain.frame[2].address == first[1]);
	/* Behind push %rbp, told by what was pushed. */
	f->words[0] = f->sample.fp;
	f->words[1] = BEHIND_THIRD;
	repair_chain(f->rows, &f->sample, pushed, 2, &f->chain);
	assert_true(f->chain.n == 3 && f->chain.frame[1].address == BEHIND_THIRD);
	repair_chain(f->rows, &f->sample, inside, 2, &f->chain);
	assert_true(!f->chain.restored && !f->chain.uncertain);
}

/* --- ORC --------------------------------------------------------------------------------------------------------- */

#define ORC_IP (TEXT + 0x100000)
#define ORC_TABLE (TEXT + 0x200000)

struct made_entry {
	int32_t at;
	int16_t sp, fp;
	unsigned sp_base, fp_base, kind, end;
};

/* A file with this table, at @path. Its descriptor. */
static int make_orc_file(const struct made_entry *e, size_t n, bool three_bits, char *path, size_t size)
{
	uint8_t ip[64 * 4], table[64 * 6];
	struct elf_section sections[] = {{".text", TEXT, text, sizeof(text), true},
	                                 {".orc_unwind_ip", ORC_IP, ip, n * 4, false},
	                                 {".orc_unwind", ORC_TABLE, table, n * 6, false}};

	for (size_t i = 0; i < n; i++) {
		int32_t off = (int32_t)(TEXT + (uint64_t)e[i].at - (ORC_IP + i * 4));
		uint16_t w = (uint16_t)(e[i].sp_base | e[i].fp_base << 4 | e[i].kind << 8 |
		                        (three_bits ? 0 : e[i].end << 10));

		memcpy(ip + i * 4, &off, 4);
		memcpy(table + i * 6, &e[i].sp, 2);
		memcpy(table + i * 6 + 2, &e[i].fp, 2);
		memcpy(table + i * 6 + 4, &w, 2);
	}
	return elf_make(sections, 3, 0, path, size);
}

static struct orc *make_orc(const struct made_entry *e, size_t n, bool three_bits, struct image **image, int *fd)
{
	char path[64], why[128];

	*fd = make_orc_file(e, n, three_bits, path, sizeof(path));
	*image = image_open(path, why, sizeof(why));
	assert_non_null(*image);
	return orc_new(*image);
}

TEST(orc_layouts)
{
	static const struct made_entry old[] = {
		{0, 8, 0, 5, 0, 0, 0},  {1, 16, -16, 5, 1, 0, 0}, {4, 0, 0, 5, 0, 1, 0},  {8, 0, 0, 5, 0, 2, 0},
		{12, 8, 0, 9, 0, 0, 0}, {16, 0, 0, 0, 0, 0, 1},   {20, 0, 0, 0, 0, 0, 0}, {24, 8, 0, 5, 0, 0, 0}};
	struct made_entry new[COUNT(old)];
	struct image *image;
	struct cfi_row row;
	int fd;

	for (int three = 0; three < 2; three++) {
		struct orc *o;

		for (size_t i = 0; i < COUNT(old); i++) {
			new[i] = old[i];
			new[i].kind = old[i].sp_base ? old[i].kind + 2 : old[i].end;
		}
		o = make_orc(three ? new : old, COUNT(old), three, &image, &fd);
		assert_non_null(o);
		assert_int_equal(orc_row(o, TEXT - 1, &row), -ENOENT);
		assert_int_equal(orc_row(o, TEXT, &row), 0);
		assert_true(row.cfa_base == X86_SP && row.cfa_offset == 8 && row.ra_offset == -8 &&
		            row.reg[X86_FP].where == CFI_SAME);
		assert_int_equal(orc_row(o, TEXT + 3, &row), 0);
		assert_true(row.cfa_offset == 16 && row.reg[X86_FP].where == CFI_SAVED &&
		            row.reg[X86_FP].offset == -16);
		assert_int_equal(orc_row(o, TEXT + 4, &row), 0);
		assert_true(row.interrupted && row.ra_offset == 128 && row.reg[X86_SP].offset == 152 &&
		            row.reg[X86_FP].offset == 32);
		assert_int_equal(orc_row(o, TEXT + 8, &row), 0);
		assert_true(row.interrupted && row.ra_offset == 0 && row.reg[X86_SP].offset == 24);
		assert_int_equal(orc_row(o, TEXT + 12, &row), 0);
		assert_true(row.cfa_deref && row.cfa_offset == 0 && row.cfa_after == 8);
		assert_int_equal(orc_row(o, TEXT + 16, &row), 0);
		assert_int_equal(row.kind, CFI_ROOT);
		assert_int_equal(orc_row(o, TEXT + 20, &row), -ENODATA);
		orc_free(o);
		image_close(image);
		close(fd);
	}
}

/* An interrupt's code puts the stack pointer of what it has interrupted at the top of its own stack. */
FIXTURE_TEST(another_stack)
{
	static const struct made_entry entries[] = {{0, 8, 0, 9, 0, 0, 0}, {SIZE, 8, 0, 5, 0, 0, 0}};
	static const struct {
		uint64_t old;
		uint8_t copy_end, end;
		size_t n;
	} cases[] = {
		{STACK + 64 * 8 + 0x1000, UPF_END_UNMAPPED, UPF_END_ROOT, 1},
		{STACK + (UINT64_C(1) << 30), UPF_END_DEPTH, UPF_END_ROOT, 1},
		{STACK - 0x4000, UPF_END_DEPTH, UPF_END_ROOT, 1},
		{STACK + 64 * 8 + 0x1000, UPF_END_DEPTH, CHAIN_END_COPY, 1},
		{STACK + 0x10, UPF_END_UNMAPPED, UPF_END_ROOT, 2}, /* it has not switched */
	};
	char path[64], why[256];
	struct cfi *rows = cfi_new(&f->symbols);
	int fd = make_orc_file(entries, COUNT(entries), false, path, sizeof(path));

	assert_non_null(rows);
	cfi_enter(rows, &isa_x86_64, true);
	assert_int_equal(cfi_add_image(rows, path, 0, why, sizeof(why)), 0);
	f->words[2] = BEHIND_THIRD;
	for (size_t i = 0; i < COUNT(cases); i++) {
		f->words[0] = cases[i].old;
		f->sample.end = cases[i].copy_end;
		unwind_copy(rows, &f->sample, TEXT + 1, &f->chain);
		assert_int_equal(f->chain.end, cases[i].end);
		assert_int_equal(f->chain.n, cases[i].n);
	}
	cfi_free(rows);
	close(fd);
}

/* What a symbol's size says of data behind the file's last code is not looked through. */
TEST(function_larger_than_its_code)
{
	static const uint8_t jump[3 * SIZE] = {[0] = 0x00, [2] = 0x1f, [3] = 0xd6}; /* br x0 */
	const struct elf_section section = {".text", TEXT, jump, sizeof(jump), true};
	const uint16_t machine = EM_AARCH64;
	const Elf64_Sym symbols[] = {{.st_name = 1,
	                              .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	                              .st_shndx = 1,
	                              .st_value = TEXT,
	                              .st_size = UINT64_C(1) << 50},
	                             {.st_name = 7, .st_shndx = 1, .st_value = TEXT + 8},
	                             {0}};
	struct symbols names = {0};
	char path[64], why[256];
	int fd = elf_make(&section, 1, 0, path, sizeof(path));
	struct cfi *rows = cfi_new(&names);

	assert_int_equal(pwrite(fd, &machine, 2, offsetof(struct elf_head, head.e_machine)), 2);
	assert_int_equal(pwrite(fd, symbols, sizeof(symbols), offsetof(struct elf_head, symbols[1])), sizeof(symbols));
	assert_int_equal(pwrite(fd, "$d", 3, offsetof(struct elf_head, strings) + 7), 3);
	assert_int_equal(symbols_add_file(&names, path, NULL, why, sizeof(why)), 0);
	assert_int_equal(symbols_sort(&names), 0);
	assert_non_null(rows);
	cfi_enter(rows, &isa_arm64, false);
	assert_int_equal(cfi_add_image(rows, path, 0, why, sizeof(why)), 0);
	assert_non_null(cfi_find(rows, TEXT, false));
	cfi_free(rows);
	symbols_free(&names);
	close(fd);
}

/* Whichever of a function's addresses is asked about first, behind another symbol inside it or before that. */
TEST(symbol_inside_a_function)
{
	static const uint8_t nops[3 * SIZE] = {[0 ... 3 * SIZE - 2] = 0x90, [3 * SIZE - 1] = 0xc3};
	const struct elf_section section = {".text", TEXT, nops, sizeof(nops), true};
	const uint64_t places[] = {TEXT + 4, TEXT + 2 * SIZE};
	struct symbols symbols = {0};
	char path[64], why[256];
	int fd = elf_make(&section, 1, 0, path, sizeof(path));

	assert_int_equal(symbols_add(&symbols, (struct symbol){.start = TEXT, .size = sizeof(nops)}, "outer", 5), 0);
	assert_int_equal(symbols_add(&symbols, (struct symbol){.start = TEXT + SIZE, .size = 8}, "inner", 5), 0);
	assert_int_equal(symbols_sort(&symbols), 0);
	for (unsigned first = 0; first < 2; first++) {
		struct cfi *rows = cfi_new(&symbols);

		assert_non_null(rows);
		cfi_enter(rows, &isa_x86_64, false);
		assert_int_equal(cfi_add_image(rows, path, 0, why, sizeof(why)), 0);
		assert_int_equal(cfi_find(rows, places[first], false)->source, CFI_BY_CODE);
		assert_int_equal(cfi_find(rows, places[!first], false)->source, CFI_BY_CODE);
		cfi_free(rows);
	}
	symbols_free(&symbols);
	close(fd);
}
