/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables and stack walks over a simulated domain. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "tests/sim/sim.h"
#include "guest/x86.h"
#include "record/stack/top.h"
#include "record/stack/walk.h"

#define FP 0x7ff000000f00ull

struct fixture {
	struct sim_domain d;
	struct guest *guest;
	struct pages *pages;
	struct capture *capture;
	struct vcpu_regs regs;
	uint64_t root; /* its frame */
	uint64_t frames[UPF_DEPTH_MAX];
	uint32_t depth;
	uint64_t above;
};

static void setup(struct fixture *f)
{
	f->guest = sim_guest(&f->d);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 100);
	f->capture = capture_new(f->pages, 256);
	f->root = sim_space(&f->d);
	f->regs = (struct vcpu_regs){.ip = 0x1234,
	                             .fp = FP,
	                             .arch = &arch_x86_64_pv,
	                             .root.cr3 = f->root << GUEST_PAGE_SHIFT,
	                             .valid = true};
}

static void teardown(struct fixture *f)
{
	capture_free(f->capture);
	pages_free(f->pages);
	assert_int_equal(f->d.mapped, 0);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
}

static enum upf_end walk_once(struct fixture *f, uint32_t max)
{
	struct space s = space_of(&f->regs, f->capture);

	capture_copy(f->capture);
	return walk_frames(&s, &f->regs, f->frames, max, &f->depth, &f->above);
}

/* Maps and lists what is missing, then walks warm. */
static enum upf_end walk(struct fixture *f, uint32_t max)
{
	enum upf_end end;

	while ((end = walk_once(f, max)) == UPF_END_COLD)
		assert_true(capture_extend(f->capture) >= 0);
	return end;
}

FIXTURE_TEST(whole)
{
	static const uint64_t returns[] = {0x10, 0x20, 0x30};

	sim_stack(&f->d, f->root, FP, returns, 3);
	assert_int_equal(walk(f, 10), UPF_END_ROOT);
	assert_int_equal(f->depth, 4);
	assert_int_equal(f->frames[0], 0x1234);
	assert_memory_equal(f->frames + 1, returns, sizeof(returns));
}

/* The page tables' four levels and the stack's page are asked for one after the other, and once warm never again. */
FIXTURE_TEST(cold_pages)
{
	static const uint64_t returns[] = {0x10, 0x20};
	int steps = 0;

	sim_stack(&f->d, f->root, FP, returns, 2);
	while (walk_once(f, 10) == UPF_END_COLD) {
		assert_int_equal(f->depth, 1);
		assert_int_equal(f->d.maps, steps++);
		assert_int_equal(capture_extend(f->capture), 1);
	}
	assert_int_equal(steps, 5);
	assert_int_equal(f->depth, 3);
	assert_int_equal(capture_extend(f->capture), 0);
	assert_int_equal(walk_once(f, 10), UPF_END_ROOT);
	assert_int_equal(f->d.maps, 5);
}

FIXTURE_TEST(over_a_page_boundary)
{
	static const uint64_t returns[] = {1, 2, 3, 4, 5, 6, 7, 8};

	f->regs.fp = 0x7ff000000ff8; /* the saved frame pointer ends its page, the return address begins the next */
	sim_stack(&f->d, f->root, f->regs.fp, returns, 8);
	assert_int_equal(walk(f, 20), UPF_END_ROOT);
	assert_int_equal(f->depth, 9);
	assert_memory_equal(f->frames + 1, returns, sizeof(returns));
}

FIXTURE_TEST(depth_limit)
{
	static const uint64_t returns[] = {1, 2, 3, 4};

	sim_stack(&f->d, f->root, FP, returns, 4);
	assert_int_equal(walk(f, 3), UPF_END_DEPTH);
	assert_int_equal(f->depth, 3);
	assert_int_equal(walk(f, 5), UPF_END_ROOT);
	assert_int_equal(walk(f, 4), UPF_END_DEPTH);
	assert_int_equal(walk(f, 1), UPF_END_DEPTH);
	assert_int_equal(f->depth, 1);
}

FIXTURE_TEST(bad_frame_pointers)
{
	uint64_t root = f->root;
	static const struct {
		uint64_t next;
		enum upf_end end;
	} cases[] = {
		{FP, UPF_END_DESCENDING},      /* points at itself */
		{FP - 64, UPF_END_DESCENDING}, /* below */
		{FP + 33, UPF_END_MISALIGNED},
		{0x800000000000, UPF_END_NONCANONICAL},
		{0x7ffffffffff8, UPF_END_NONCANONICAL}, /* the word behind it is none */
		{0xdeadbeefdeadbee8, UPF_END_NONCANONICAL},
		{0x7ff100000000, UPF_END_UNMAPPED},
		{0xfffffffffffffff8, UPF_END_UNMAPPED}, /* the word behind it wraps around */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		sim_poke(&f->d, root, FP, cases[i].next);
		sim_poke(&f->d, root, FP + 8, 0x10);
		assert_int_equal(walk(f, 100), cases[i].end);
		assert_int_equal(f->depth, 2);
		assert_int_equal(f->frames[1], 0x10);
	}
	f->regs.fp = 8;
	assert_int_equal(walk(f, 100), UPF_END_UNMAPPED);
	assert_int_equal(f->depth, 1);
	f->regs.fp = 0;
	assert_int_equal(walk(f, 100), UPF_END_ROOT);
	assert_int_equal(f->depth, 1);
	f->regs = (struct vcpu_regs){.valid = false};
	assert_int_equal(walk(f, 100), UPF_END_NONE);
	assert_int_equal(f->depth, 0);
}

FIXTURE_TEST(refused_page)
{
	static const uint64_t returns[] = {1, 2};

	sim_stack(&f->d, f->root, FP, returns, 2);
	f->d.refused = sim_page(&f->d, f->root, FP);
	assert_int_equal(walk(f, 10), UPF_END_UNREADABLE);
	/* Not asked for at every sample, but again when told to. */
	assert_int_equal(capture_extend(f->capture), 0);
	f->d.refused = 0;
	assert_int_equal(walk(f, 10), UPF_END_UNREADABLE);
	pages_retry(f->pages);
	capture_clear(f->capture);
	assert_int_equal(walk(f, 10), UPF_END_ROOT);
}

/* A table entry that points at its own table: four levels are four levels. */
FIXTURE_TEST(looping_tables)
{
	uint64_t root = f->root, entry = root << 12 | 1, word;
	struct space s;

	for (size_t i = 0; i < 512; i++)
		memcpy(f->d.memory[root] + i * 8, &entry, 8);
	f->regs.fp = 0x1000;
	walk(f, 100);
	s = space_of(&f->regs, f->capture);
	assert_int_equal(space_read(&s, 0, &word), 0);
	assert_true(word == entry);
}

FIXTURE_TEST(superpages)
{
	uint64_t root = f->root, entry, word;
	struct space s;

	/* A 2 MiB page at 0x40000000 that begins at frame 0: its 5th frame is the domain's own 5th. */
	sim_page(&f->d, root, 0x40000000);
	for (uint64_t table = root, shift = 39; shift > 12; shift -= 9) {
		uint8_t *at = f->d.memory[table] + (0x40000000ull >> shift & 0x1ff) * 8;

		memcpy(&entry, at, 8);
		if (shift == 21) {
			entry = 0x81;
			memcpy(at, &entry, 8);
		}
		table = (entry & 0xffffffffff000) >> 12;
	}
	while (f->d.used < 6)
		sim_space(&f->d);
	entry = 0x4242;
	memcpy(f->d.memory[5] + 16, &entry, 8);
	do {
		capture_copy(f->capture);
		s = space_of(&f->regs, f->capture);
	} while (space_read(&s, 0x40005010, &word) == -EAGAIN && capture_extend(f->capture) > 0);
	assert_int_equal(word, 0x4242);
}

/* More pages than the limit: all are let go, and the walk still arrives. */
FIXTURE_TEST(bounded_pages)
{
	uint64_t returns[64];

	for (size_t i = 0; i < COUNT(returns); i++)
		returns[i] = i + 1;
	capture_free(f->capture);
	pages_free(f->pages);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 8);
	f->capture = capture_new(f->pages, 256);
	for (int i = 0; i < 20; i++) {
		f->regs.fp = 0x10000000000 + (uint64_t)i * 0x10000000;
		sim_stack(&f->d, f->root, f->regs.fp, returns, 10);
		assert_int_equal(walk(f, 100), UPF_END_ROOT);
		assert_true(pages_mapped(f->pages) <= 8);
	}
}

/* --- 32-bit and 16-bit code -------------------------------------------------------------------------------------- */

static void poke4(struct fixture *f, uint32_t address, uint32_t word)
{
	memcpy(f->d.memory[address >> 12] + address % GUEST_PAGE_SIZE, &word, sizeof(word));
}

/* Registers of 32-bit code with paging off, and two frames; the stack crosses a page. */
static void go_flat(struct fixture *f, uint32_t code_base, uint32_t stack_base)
{
	const struct x86_state flat = {.cr0 = 1,
	                               .cs_d = true,
	                               .cs_base = code_base,
	                               .ss_base = stack_base,
	                               .ip = 0x1234,
	                               .sp = 0x2ff0 - stack_base,
	                               .fp = 0x2ffc - stack_base};

	while (f->d.used < 8)
		sim_space(&f->d);
	poke4(f, 0x2ff0, 0x1111);
	poke4(f, 0x2ff4, 0x12);
	poke4(f, 0x2ff8, 0x3010 - stack_base);
	poke4(f, 0x2ffc, 0x3010 - stack_base);
	poke4(f, 0x3000, 0xfffffff0);
	poke4(f, 0x3010, 0);
	poke4(f, 0x3014, 0x20);
	x86_mode(&flat, &f->regs);
}

FIXTURE_TEST(thirty_two_bits)
{
	static const uint64_t expected[] = {0x1234, 0xfffffff0, 0x20};

	go_flat(f, 0, 0);
	assert_int_equal(walk(f, 10), UPF_END_ROOT);
	assert_int_equal(f->depth, COUNT(expected));
	assert_memory_equal(f->frames, expected, sizeof(expected));
}

/* What the stack holds is without the bases; sums wrap around at 4 GiB. */
FIXTURE_TEST(thirty_two_bits_in_segments)
{
	static const uint64_t expected[] = {0x2234, 0xff0, 0x1020};

	go_flat(f, 0x1000, 0x2000);
	assert_int_equal(walk(f, 10), UPF_END_ROOT);
	assert_int_equal(f->depth, COUNT(expected));
	assert_memory_equal(f->frames, expected, sizeof(expected));
}

FIXTURE_TEST(thirty_two_bit_frame_pointers)
{
	static const struct {
		uint32_t next;
		enum upf_end end;
	} cases[] = {
		{0x3012, UPF_END_MISALIGNED},
		{0x2ffc, UPF_END_DESCENDING},
		{0xfffffffc, UPF_END_NONCANONICAL}, /* the word behind it is above 4 GiB */
		{0xfffff000, UPF_END_UNREADABLE},
	};

	go_flat(f, 0, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		poke4(f, 0x2ffc, cases[i].next);
		assert_int_equal(walk(f, 10), cases[i].end);
		assert_int_equal(f->depth, 2);
	}
}

/* Two words of 4 bytes lie in each of the window's; those that can be no code are dropped one by one. */
FIXTURE_TEST(window_of_32_bit_code)
{
	uint64_t words[4];
	struct space space;
	bool cold = false;

	go_flat(f, 0, 0);
	walk(f, 10);
	space = space_of(&f->regs, f->capture);
	capture_set_live(f->capture, true);
	assert_int_equal(top_window(&space, &f->regs, words, COUNT(words), &cold), 2);
	assert_true(words[0] == (0x12ull << 32 | 0x1111));
	assert_true(words[1] == (0x3010ull << 32 | 0x3010));
	words[1] = 0x1234ull << 32 | 0xfff;
	top_filter(words, 2, f->frames, f->depth, 0x2ffc, 4);
	assert_true(words[0] == 0x1111);
	assert_true(words[1] == 0x1234ull << 32);
}

/*
 * The window goes on above the frame pointer where an interrupt has pushed what it does, up to the frame of what it has
 * interrupted.
 */
FIXTURE_TEST(window_over_an_interrupt)
{
	enum { RIP = 4, CS, FLAGS, SP, SS }; /* words above the frame pointer */
	const uint64_t sp = FP - 16;
	const struct {
		int word;
		uint64_t value;
		uint32_t n;
	} cases[] = {{SS, 0x10, 2 + SS + 5},
	             {SS, 0, 2 + SS + 5},
	             {FLAGS, 0x200246, 2 + SS + 5},
	             {CS, 0, 2},
	             {CS, 0x10008, 2},
	             {FLAGS, 0, 2},
	             {FLAGS, 0x8246, 2},
	             {SS, 1 << 16, 2},
	             {RIP, 0x800, 2},
	             {0, FP + 16 * 8, 16},
	             {0, 0, 16},
	             {0, FP + 8 * SS, 16}};
	uint64_t words[16];
	struct space space;
	bool cold = false;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint64_t pushed[] = {FP + 8 * (SS + 3), 0x5678, 0x11111, 0x22222, 0x4567, 8, 0x246,
		                           FP + 8 * (SS + 1), 0x10,   7,       8};

		for (size_t k = 0; k < COUNT(pushed); k++)
			sim_poke(&f->d, f->root, FP + 8 * k, (int)k == cases[i].word ? cases[i].value : pushed[k]);
		f->regs.sp = sp;
		walk(f, 2);
		space = space_of(&f->regs, f->capture);
		capture_set_live(f->capture, true);
		assert_int_equal(top_window(&space, &f->regs, words, COUNT(words), &cold), 2);
		assert_int_equal(top_interrupts(&space, &f->regs, words, 2, COUNT(words)), cases[i].n);
	}
	assert_int_equal(top_interrupts(&space, &f->regs, words, 2, 2), 2);
	f->regs.valid = false;
	assert_int_equal(top_interrupts(&space, &f->regs, words, 0, COUNT(words)), 0);
}

FIXTURE_TEST(sixteen_bits)
{
	const struct x86_state real = {.cs_base = 0xf0000, .ip = 0xfff0, .sp = 0x1000, .fp = 0x1008};
	uint64_t words[4];
	struct space space;
	bool cold = false;

	x86_mode(&real, &f->regs);
	assert_int_equal(walk(f, 10), UPF_END_MODE);
	assert_int_equal(f->depth, 1);
	assert_int_equal(f->frames[0], 0xffff0);
	space = space_of(&f->regs, f->capture);
	assert_int_equal(top_window(&space, &f->regs, words, COUNT(words), &cold), 0);
	assert_false(cold);
	assert_int_equal(f->d.maps, 0);
}

static unsigned pages_asked;

static bool any_address(uint64_t address)
{
	(void)address;
	return true;
}

static int no_page(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	(void)capture, (void)root, (void)address, (void)frame;
	assert_true(++pages_asked < 16);
	return -EFAULT;
}

/* A guest chooses its stack pointer and its return addresses, up to the last one. */
FIXTURE_TEST(no_address_is_behind_the_last_one)
{
	static const struct arch arch = {.word = 8, .canonical = any_address, .translate = no_page};
	struct space space = {.arch = &arch, .capture = f->capture, .last_address = 1};

	pages_asked = 0;
	space_expect(&space, UINT64_MAX - 7, UINT64_MAX);
	assert_int_equal(pages_asked, 1);
	space_expect(&space, UINT64_MAX - GUEST_PAGE_SIZE, UINT64_MAX);
	assert_int_equal(pages_asked, 3);
	pages_asked = 0;
	space_want(&space, UINT64_MAX - 7, UINT64_MAX);
	assert_int_equal(pages_asked, 1);
	/* The end is not among them, and may have wrapped. */
	space_want(&space, 0, CAPTURE_LINE);
	assert_int_equal(pages_asked, 2);
	space_want(&space, UINT64_MAX, 7);
	space_expect(&space, UINT64_MAX, 7);
	assert_int_equal(pages_asked, 2);
}
