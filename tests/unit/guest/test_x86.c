/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes of x86 vCPUs, and page tables of every format, sound and hostile. */
#include "tests/unit/guest/tables.h"

#include "guest/x86.h"

#define PE 0x1u
#define PG 0x80000000u
#define PSE 0x10u
#define PAE 0x20u
#define LA57 0x1000u
#define LMA 0x400u
#define VM 0x20000u

#define TABLE 0x67ull /* flags of an entry that Linux sets */
#define LARGE 0xe7ull
#define SOFTWARE (0x80000000000000ull | 1ull << 63) /* bits that are no part of an address */

static const struct x86_state long_4 = {.cr0 = PG | PE, .cr3 = 0x1018, .cr4 = PAE, .efer = LMA | 0x100, .cs_l = true};
static const struct x86_state long_5 = {
	.cr0 = PG | PE, .cr3 = 0x8000000000001fff, .cr4 = PAE | LA57, .efer = LMA, .cs_l = true};
static const struct x86_state compat = {.cr0 = PG | PE, .cr3 = 0x1000, .cr4 = PAE, .efer = LMA, .cs_d = true};
static const struct x86_state pae = {.cr0 = PG | PE, .cr3 = 0x103f, .cr4 = PAE | PSE, .cs_d = true};
static const struct x86_state two_large = {.cr0 = PG | PE, .cr3 = 0x1fff, .cr4 = PSE, .cs_d = true};
static const struct x86_state two = {.cr0 = PG | PE, .cr3 = 0x1000, .cs_d = true};
static const struct x86_state flat = {.cr0 = PE, .cr3 = 0x1000, .cs_d = true};
static const struct x86_state real = {.cr0 = 0x10, .cs_base = 0xf0000, .ip = 0xfff0};

static int translate(struct fixture *f, const struct x86_state *state, uint64_t address, uint64_t *frame)
{
	struct vcpu_regs regs;

	x86_mode(state, &regs);
	return translate_by(f, &regs, address, frame);
}

static void leads_to(struct fixture *f, const struct x86_state *state, uint64_t address, uint64_t expected)
{
	uint64_t frame = 0;

	assert_int_equal(translate(f, state, address, &frame), 0);
	assert_int_equal(frame, expected);
}

static void fails(struct fixture *f, const struct x86_state *state, uint64_t address, int error)
{
	uint64_t frame;

	assert_int_equal(translate(f, state, address, &frame), error);
}

static int read_word(struct fixture *f, const struct x86_state *state, uint64_t address)
{
	struct vcpu_regs regs;
	struct space space;
	uint64_t word;
	int rc = -EAGAIN;

	x86_mode(state, &regs);
	for (int i = 0; i < 6 && rc == -EAGAIN; i++) {
		capture_extend(f->capture);
		capture_copy(f->capture);
		space = space_of(&regs, f->capture);
		rc = space_read(&space, address, &word);
	}
	return rc;
}

/* --- formats ----------------------------------------------------------------------------------------------------- */

FIXTURE_TEST(four_levels)
{
	const uint64_t at = 0xffff800000000000; /* index 256, then 0, 0, 0 */

	put8(f, 1, 256, 2 << 12 | TABLE | SOFTWARE);
	put8(f, 2, 0, 3 << 12 | TABLE | SOFTWARE);
	put8(f, 2, 511, 0x7fc0000000 | LARGE | SOFTWARE);
	put8(f, 3, 0, 4 << 12 | TABLE | SOFTWARE);
	put8(f, 3, 7, 0x7ffe00000 | LARGE | SOFTWARE);
	put8(f, 4, 0, 0xffffff000 | TABLE | SOFTWARE);
	put8(f, 4, 511, 5 << 12 | 0x80 | TABLE); /* in a last table the bit is PAT's */
	leads_to(f, &long_4, at + 0xfff, 0xffffff);
	leads_to(f, &long_4, at + 511 * 0x1000, 5);
	leads_to(f, &long_4, at + 7 * 0x200000 + 0x12345, 0x7ffe00 + 0x12);
	leads_to(f, &long_4, at + 511 * 0x40000000ull + 0x3fffffff, 0x7fc0000 + 0x3ffff);
	fails(f, &long_4, at + 0x1000, -EFAULT);
	fails(f, &long_4, 0, -EFAULT);
}

FIXTURE_TEST(five_levels)
{
	const uint64_t at = 0xff00000000000000;

	put8(f, 1, 256, 2 << 12 | TABLE | SOFTWARE);
	put8(f, 2, 0, 3 << 12 | TABLE);
	put8(f, 3, 0, 4 << 12 | TABLE);
	put8(f, 4, 0, 5 << 12 | TABLE);
	put8(f, 5, 3, 9 << 12 | TABLE);
	leads_to(f, &long_5, at + 0x3000, 9);
	fails(f, &long_5, at + 0x4000, -EFAULT);
	put8(f, 2, 0, 3 << 12 | LARGE);
	fails(f, &long_5, at + 0x3000, -EFAULT);
}

/* 32-bit code under a 64-bit kernel: the same tables. */
FIXTURE_TEST(four_levels_below_4_gib)
{
	put8(f, 1, 0, 2 << 12 | TABLE);
	put8(f, 2, 3, 3 << 12 | TABLE);
	put8(f, 3, 511, 4 << 12 | TABLE);
	put8(f, 4, 511, 6 << 12 | TABLE);
	leads_to(f, &compat, 0xffffffff, 6);
}

FIXTURE_TEST(three_levels)
{
	/* The highest table has four entries, at any multiple of 32; the accessed flag there does no harm. */
	put8(f, 1, 4 + 3, 2 << 12 | 0x21);
	put8(f, 2, 511, 3 << 12 | TABLE);
	put8(f, 2, 1, 0x234e00000 | LARGE | 1ull << 63);
	put8(f, 3, 510, 0xabcdef000 | TABLE | 1ull << 63);
	leads_to(f, &pae, 0xffffe123, 0xabcdef);
	leads_to(f, &pae, 0xc0200000 + 0x54321, 0x234e00 + 0x54);
	fails(f, &pae, 0xfffff000, -EFAULT);
	fails(f, &pae, 0x1000, -EFAULT);
	put8(f, 1, 4 + 3, 2 << 12 | 0x81);
	fails(f, &pae, 0xffffe123, -EFAULT);
}

/* A 32-bit PV guest's entries are machine frames, with what Xen sets in the highest table, and may be devices'. */
FIXTURE_TEST(three_levels_of_machine_frames)
{
	const struct vcpu_regs pv32 = {.arch = &arch_x86_32_pv, .root.cr3 = 0x1000};
	uint64_t frame;

	put8(f, 1, 3, 2 << 12 | TABLE);
	put8(f, 2, 0, 3 << 12 | TABLE | SOFTWARE);
	put8(f, 2, 1, 0xfff234e00000 | LARGE | SOFTWARE);
	put8(f, 2, 2, 0x200000 | LARGE | 0x10);
	put8(f, 3, 1, 0xabcdef12000 | TABLE | SOFTWARE);
	put8(f, 3, 2, 5 << 12 | TABLE | 0x18);
	assert_int_equal(translate_by(f, &pv32, 0xc0001ffc, &frame), 0);
	assert_int_equal(frame, 0xabcdef12);
	assert_int_equal(translate_by(f, &pv32, 0xc0200000 + 0x54321, &frame), 0);
	assert_int_equal(frame, 0xfff234e00 + 0x54);
	assert_int_equal(translate_by(f, &pv32, 0xc0002000, &frame), -EIO);
	assert_int_equal(translate_by(f, &pv32, 0xc0400000, &frame), -EIO);
	assert_int_equal(translate_by(f, &pv32, 0xc0000000, &frame), -EFAULT);
	assert_int_equal(translate_by(f, &pv32, 0x80000000, &frame), -EFAULT);
	assert_false(pv32.arch->canonical(1ull << 32));
}

FIXTURE_TEST(two_levels)
{
	put4(f, 1, 1023, 3 << 12 | TABLE);
	put4(f, 1, 768, 0x00c00000 | LARGE);
	put4(f, 1, 769, 0x00c00000 | 0x12 << 13 | LARGE | 0x1000); /* PSE-36: above 4 GiB; PAT */
	put4(f, 1, 770, 0x00e00000 | LARGE);                       /* bit 21 is reserved */
	put4(f, 3, 1, 0xfffff000 | TABLE);
	leads_to(f, &two_large, 0xffc01fff, 0xfffff);
	leads_to(f, &two_large, 0xc0000000 + 0x3ff123, 0xc00 + 0x3ff);
	leads_to(f, &two_large, 0xc0400000 + 0x3ff123, 0x1200000 + 0xc00 + 0x3ff);
	fails(f, &two_large, 0xc0800000, -EFAULT);
	fails(f, &two_large, 0, -EFAULT);
	/* Without PSE the flag means nothing: the entry is a table. */
	put4(f, 1, 768, 4 << 12 | LARGE);
	put4(f, 4, 0, 7 << 12 | TABLE);
	leads_to(f, &two, 0xc0000000, 7);
	fails(f, &two, 0xc0001000, -EFAULT);
}

FIXTURE_TEST(paging_off)
{
	leads_to(f, &flat, 0xffffffff, 0xfffff);
	leads_to(f, &flat, 0x7123, 7);
	assert_int_equal(f->d.maps, 0);
}

/* --- hostile tables ---------------------------------------------------------------------------------------------- */

/* Every entry of a table points at the table: a walk has as many steps as levels. */
FIXTURE_TEST(loops)
{
	static const struct x86_state *const modes[] = {&long_4, &long_5, &compat, &pae, &two_large, &two};

	for (size_t m = 0; m < COUNT(modes); m++) {
		bool wide = modes[m]->cr4 & PAE;

		for (unsigned i = 0; i < (wide ? 512 : 1024); i++)
			(wide ? put8 : put4)(f, 1, i, 1 << 12 | TABLE);
		capture_clear(f->capture);
		leads_to(f, modes[m], 0x12345678, 1);
	}
}

/* Tables and pages where the guest has no memory, up to the highest frame that an entry can hold. */
FIXTURE_TEST(points_outside)
{
	uint64_t frame;

	put8(f, 1, 0, 0x000ffffffffff000 | TABLE);
	fails(f, &long_4, 0, -EIO);
	put8(f, 1, 1, 2 << 12 | TABLE);
	put8(f, 2, 0, 0xffff000 | TABLE);
	fails(f, &long_4, 1ull << 39, -EIO);
	put8(f, 1, 7, 0xfffffff000 | 1);
	fails(f, &pae, 0xc0000000, -EIO);
	put4(f, 1, 100, 0xfffff000 | TABLE);
	fails(f, &two, 100u << 22, -EIO);
	/* The frame of a page is just told; who reads it is refused. */
	put8(f, 2, 1, 3 << 12 | TABLE);
	put8(f, 3, 0, 4 << 12 | TABLE);
	put8(f, 4, 0, 0x000ffffffffff000 | TABLE);
	leads_to(f, &long_4, (1ull << 39) + 0x40000000, 0xffffffffff);
	assert_int_equal(read_word(f, &long_4, (1ull << 39) + 0x40000000), -EIO);
	put4(f, 1, 101, 0xffdfe000 | LARGE);
	assert_int_equal(translate(f, &two_large, 101u << 22, &frame), 0);
	assert_int_equal(frame, 0xffffc00);
}

FIXTURE_TEST(reserved_bits)
{
	put8(f, 1, 0, 2 << 12 | LARGE);
	fails(f, &long_4, 0, -EFAULT);
	put8(f, 1, 1, 2 << 12 | TABLE);
	put8(f, 2, 0, 0x40002000 | LARGE);
	put8(f, 2, 1, 0x40001000 | LARGE);
	fails(f, &long_4, 1ull << 39, -EFAULT);
	leads_to(f, &long_4, (1ull << 39) + 0x40000000, 0x40000);
	put8(f, 2, 2, 3 << 12 | TABLE);
	put8(f, 3, 0, 0x100000 | LARGE);
	fails(f, &long_4, (1ull << 39) + 0x80000000, -EFAULT);
}

/* A PV guest's entry may be a device's register. */
FIXTURE_TEST(registers_of_devices)
{
	const struct vcpu_regs pv = {.arch = &arch_x86_64_pv, .root.cr3 = 0x1000};
	struct space space = space_of(&pv, f->capture);
	uint64_t word;

	put8(f, 1, 0, 2 << 12 | TABLE | 0x10);
	capture_set_live(f->capture, true);
	assert_int_equal(space_read(&space, 0, &word), -EAGAIN);
	capture_extend(f->capture);
	assert_int_equal(space_read(&space, 0, &word), -EIO);
	capture_set_live(f->capture, false);
	put8(f, 2, 0, 3 << 12 | TABLE | 0x18);
	put8(f, 3, 0, 4 << 12 | TABLE);
	put8(f, 4, 0, 5 << 12 | TABLE | 0x8);
	leads_to(f, &long_4, 0, 5);
}

/* --- modes ------------------------------------------------------------------------------------------------------- */

static struct vcpu_regs regs_of(struct x86_state s, uint64_t ip, uint64_t sp, uint64_t fp)
{
	struct vcpu_regs regs;

	memset(&regs, 0xff, sizeof(regs));
	s.ip = ip, s.sp = sp, s.fp = fp;
	x86_mode(&s, &regs);
	assert_true(regs.valid);
	return regs;
}

FIXTURE_TEST(instruction_sets)
{
	const struct {
		struct x86_state s;
		enum arch_id id;
		uint8_t word;
		uint64_t root;
	} cases[] = {
		{long_4, ARCH_X86_64, 8, 0x1000},    {long_5, ARCH_X86_64, 8, 0x1000},
		{compat, ARCH_X86_32, 4, 0x1000},    {pae, ARCH_X86_32, 4, 0x1020},
		{two_large, ARCH_X86_32, 4, 0x1000}, {two, ARCH_X86_32, 4, 0x1000},
		{flat, ARCH_X86_32, 4, 0},           {real, ARCH_X86_16, 2, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct vcpu_regs regs = regs_of(cases[i].s, 1, 2, 3);

		assert_int_equal(regs.arch->id, cases[i].id);
		assert_int_equal(regs.arch->word, cases[i].word);
		assert_int_equal(regs.root.cr3, cases[i].root);
		assert_int_equal(!regs.arch->translate, cases[i].id == ARCH_X86_16);
	}
}

/* 16-bit code there is in every mode but 64-bit code's; long mode has no virtual 8086 mode. */
FIXTURE_TEST(sixteen_bits)
{
	struct x86_state s = pae;

	s.cs_d = false;
	assert_int_equal(regs_of(s, 0, 0, 0).arch->id, ARCH_X86_16);
	s = two;
	s.rflags = VM;
	assert_int_equal(regs_of(s, 0, 0, 0).arch->id, ARCH_X86_16);
	s = compat;
	s.cs_d = false;
	assert_int_equal(regs_of(s, 0, 0, 0).arch->id, ARCH_X86_16);
	s = long_4;
	s.rflags = VM;
	assert_int_equal(regs_of(s, 0, 0, 0).arch->id, ARCH_X86_64);
	/* cs_l means nothing outside of long mode. */
	s = pae;
	s.cs_l = true;
	assert_int_equal(regs_of(s, 0, 0, 0).arch->id, ARCH_X86_32);
}

FIXTURE_TEST(segment_bases)
{
	struct x86_state s = two;
	struct vcpu_regs regs;

	s.cs_base = 0xf0000000, s.ss_base = 0x1000, s.privilege = 3;
	regs = regs_of(s, 0x20000123, 0x8000000000000010, 0x20);
	assert_true(regs.user);
	assert_int_equal(regs.ip, 0x10000123);
	assert_int_equal(regs.sp, 0x1010);
	assert_int_equal(regs.fp, 0x1020);
	assert_int_equal(regs.code_base, 0xf0000000);
	assert_int_equal(regs.stack_base, 0x1000);
	assert_int_equal(regs_of(s, 0, 0, 0).fp, 0);
	assert_int_equal(regs_of(real, 0xfff0, 0, 0).ip, 0xffff0);
	/* 64-bit code has none. */
	s = long_4;
	s.cs_base = s.ss_base = 0x5000;
	regs = regs_of(s, 0xffffffff80000123, 2, 3);
	assert_false(regs.user);
	assert_true(regs.ip == 0xffffffff80000123 && regs.sp == 2 && regs.fp == 3);
	assert_true(regs.code_base == 0 && regs.stack_base == 0);
}

FIXTURE_TEST(registers_by_number)
{
	static const uint64_t i386[16] = {100, 102, 101, 103, 107, 106, 104, 105};
	struct vcpu_regs regs;

	for (size_t i = 0; i < COUNT(regs.all); i++)
		regs.all[i] = 100 + i;
	x86_mode(&long_4, &regs);
	assert_int_equal(regs.all[15], 115);
	assert_int_equal(regs.all[1], 101);
	regs.all[3] |= 1ull << 63;
	x86_mode(&compat, &regs);
	assert_memory_equal(regs.all, i386, sizeof(i386));
}

FIXTURE_TEST(what_a_guest_is_made_for)
{
	assert_int_equal(x86_guest_arch(&long_4), ARCH_X86_64);
	assert_int_equal(x86_guest_arch(&compat), ARCH_X86_64);
	assert_int_equal(x86_guest_arch(&pae), ARCH_X86_32);
	assert_int_equal(x86_guest_arch(&two), ARCH_X86_32);
	assert_int_equal(x86_guest_arch(&flat), ARCH_X86_64);
	assert_int_equal(x86_guest_arch(&real), ARCH_X86_64);
}
