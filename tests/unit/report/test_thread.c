/* SPDX-License-Identifier: BSD-2-Clause */
/* Where threads begin: what a scheduler jumps to takes its arguments off the stack, and has no caller. */
#include "tests/unit/unit.h"

#include "report/unwind/unwind.h"
#include "tests/elf.h"

#define TEXT 0x10000u
#define STACK 0x800000u
#define SIZE 16

/*
 * first, as a thread begins: pop %rdi; pop %rbx; push $0; xor %rbp,%rbp; call *%rbx; call third.
 * second, what it calls: push %rbp; call third; pop %rbp; ret.
 * third: ret.
 */
static const uint8_t text[3 * SIZE] = {
	[0] = 0x5f,        [1] = 0x5b,      [2] = 0x6a,        [3] = 0x00,        [4] = 0x48,        [5] = 0x31,
	[6] = 0xed,        [7] = 0xff,      [8] = 0xd3,        [9] = 0xe8,        [10] = 18,         [SIZE] = 0x55,
	[SIZE + 1] = 0xe8, [SIZE + 2] = 10, [SIZE + 6] = 0x5d, [SIZE + 7] = 0xc3, [2 * SIZE] = 0xc3,
};
#define BEHIND_SECOND (TEXT + 9)
#define BEHIND_THIRD (TEXT + SIZE + 6)

struct fixture {
	struct symbols symbols;
	struct cfi *rows;
	int fd;
	uint64_t words[8], regs[UPF_REGS];
	struct upf_record sample;
	struct chain chain;
};

static void setup(struct fixture *f)
{
	const struct elf_section section = {".text", TEXT, text, sizeof(text), true};
	char path[64], why[256];

	f->fd = elf_make(&section, 1, 0, path, sizeof(path));
	assert_int_equal(symbols_add_file(&f->symbols, path, NULL, why, sizeof(why)), 0);
	assert_int_equal(symbols_sort(&f->symbols), 0);
	f->rows = cfi_new(&f->symbols);
	assert_non_null(f->rows);
	assert_int_equal(cfi_add_image(f->rows, path, 0, why, sizeof(why)), 0);
}

static void teardown(struct fixture *f)
{
	cfi_free(f->rows);
	symbols_free(&f->symbols);
	close(f->fd);
}

/* A sample at @ip, on a stack with the words from @words on. */
static void unwind(struct fixture *f, uint64_t ip, const uint64_t *words, uint32_t n, uint64_t fp)
{
	memcpy(f->words, words, n * sizeof(*words));
	f->regs[6] = fp;
	f->regs[7] = STACK;
	f->sample = (struct upf_record){
		.end = UPF_END_DEPTH, .words = f->words, .nwords = n, .regs = f->regs, .nregs = UPF_REGS, .sp = STACK};
	cfi_enter(f->rows, &isa_x86_64, false);
	unwind_copy(f->rows, &f->sample, ip, &f->chain);
}

/* third, called by second, called where the thread began. Above that is what the allocator left. */
FIXTURE_TEST(whole)
{
	const uint64_t words[] = {BEHIND_THIRD, 0, BEHIND_SECOND, 0, 0x1234};

	unwind(f, TEXT + 2 * SIZE, words, COUNT(words), 0x5555);
	assert_int_equal(f->chain.n, 3);
	assert_int_equal(f->chain.end, UPF_END_ROOT);
	assert_true(f->chain.frame[1].address == BEHIND_THIRD && f->chain.frame[2].address == BEHIND_SECOND);
	/* In it, just before the call and at it. */
	unwind(f, TEXT + 4, words + 3, 2, 0x5555);
	assert_int_equal(f->chain.n, 1);
	assert_int_equal(f->chain.end, UPF_END_ROOT);
	unwind(f, TEXT + 7, words + 3, 2, 0);
	assert_int_equal(f->chain.n, 1);
	assert_int_equal(f->chain.end, UPF_END_ROOT);
}

/* The frame pointer alone, which is 0 in an outermost frame (System V ABI, 3.4.1): where the copy ends there, too. */
FIXTURE_TEST(by_frame_pointer)
{
	const uint64_t words[] = {BEHIND_THIRD, 0, BEHIND_SECOND};

	unwind(f, TEXT + 2 * SIZE, words, COUNT(words), 0x5555);
	assert_int_equal(f->chain.n, 3);
	assert_int_equal(f->chain.end, UPF_END_ROOT);
}

/* A function that popped its return address to come back another way is no thread's beginning. */
FIXTURE_TEST(not_whole)
{
	const uint64_t words[] = {BEHIND_THIRD, 0x777, BEHIND_SECOND, 0x888, BEHIND_THIRD};

	unwind(f, TEXT + 2 * SIZE, words, COUNT(words), 0x5555);
	assert_int_equal(f->chain.n, 3);
	assert_int_equal(f->chain.end, CHAIN_END_UNSURE);
	unwind(f, TEXT + 7, words + 3, 2, 0x777);
	assert_int_equal(f->chain.n, 1);
	assert_int_equal(f->chain.end, CHAIN_END_UNSURE);
	/* With nothing above it known, and a frame pointer that is in use. */
	unwind(f, TEXT + 2 * SIZE, words, 3, 0x5555);
	assert_int_equal(f->chain.n, 3);
	assert_int_not_equal(f->chain.end, UPF_END_ROOT);
}
