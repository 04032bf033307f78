/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes of ARM vCPUs, page tables of every format, sound and hostile, and what compilers make of frames. */
#include "tests/unit/guest/tables.h"

#include "guest/arm.h"
#include "record/stack/walk.h"

#define EL1 0x5u /* AArch64, with a stack of its own */
#define EL0 0x0u
#define SVC 0x13u
#define USR 0x10u
#define THUMB 0x20u

#define TABLE 3ull
#define PAGE 0x703ull
#define BLOCK 0x701ull
#define FLAGS (0x60ull << 48 | 1ull << 55) /* XN, contiguous and software's: no part of an address */

#define TG0_64K (1ull << 14)
#define TG0_16K (2ull << 14)
#define TG1_16K (1ull << 30)
#define TG1_4K (2ull << 30)
#define TG1_64K (3ull << 30)
#define TCR(t0sz, t1sz) ((t0sz) | (uint64_t)(t1sz) << 16 | 2ull << 32)
#define EAE 0x80000000u
#define ASID (0x1234ull << 48 | 1) /* and CnP */

/* Frame 1 is the root of user addresses, frame 2 of the kernel's. */
static struct arm_state state_of(uint32_t cpsr, uint64_t tcr)
{
	return (struct arm_state){.cpsr = cpsr, .root.arm = {0x1000 | ASID, 0x2000 | ASID, tcr, 0x30d01805}};
}

static int translate(struct fixture *f, const struct arm_state *state, uint64_t address, uint64_t *frame)
{
	struct vcpu_regs regs;

	arm_mode(state, &regs);
	return translate_by(f, &regs, address, frame);
}

static void leads_to(struct fixture *f, const struct arm_state *state, uint64_t address, uint64_t expected)
{
	uint64_t frame = 0;

	assert_int_equal(translate(f, state, address, &frame), 0);
	assert_int_equal(frame, expected);
}

static void fails(struct fixture *f, const struct arm_state *state, uint64_t address, int error)
{
	uint64_t frame;

	assert_int_equal(translate(f, state, address, &frame), error);
}

/* --- 64-bit formats ---------------------------------------------------------------------------------------------- */

FIXTURE_TEST(pages_of_4k)
{
	const struct arm_state s = state_of(EL1, TCR(16, 16) | TG1_4K);
	const uint64_t at = 0xffff800000000000; /* index 256, then 0, 0, 0 */

	put8(f, 2, 256, 3 << 12 | TABLE | FLAGS);
	put8(f, 3, 0, 4 << 12 | TABLE);
	put8(f, 3, 511, 0x7fc0000000 | BLOCK | FLAGS);
	put8(f, 4, 0, 5 << 12 | TABLE);
	put8(f, 4, 7, 0x7ffe00000 | BLOCK);
	put8(f, 5, 0, 0xfffffffff000 | PAGE | FLAGS);
	put8(f, 5, 1, 6 << 12 | BLOCK); /* a block is no page */
	put8(f, 5, 511, 6 << 12 | PAGE);
	leads_to(f, &s, at + 0xfff, 0xfffffffff);
	leads_to(f, &s, at + 511 * 0x1000, 6);
	leads_to(f, &s, at + 7 * 0x200000 + 0x12345, 0x7ffe00 + 0x12);
	leads_to(f, &s, at + 511 * 0x40000000ull + 0x3fffffff, 0x7fc0000 + 0x3ffff);
	fails(f, &s, at + 0x1000, -EFAULT);
	fails(f, &s, at + 0x2000, -EFAULT);
	fails(f, &s, 0, -EFAULT);
	put8(f, 2, 256, 3 << 12 | BLOCK);
	fails(f, &s, at, -EFAULT);
}

/* The first level is the one that the number of address bits leaves: here of 39, and of 25, whose table is short. */
FIXTURE_TEST(fewer_levels)
{
	const struct arm_state three = state_of(EL0, TCR(25, 25) | TG1_4K), two = state_of(EL0, TCR(39, 39) | TG1_4K);
	struct arm_state aside = two;

	put8(f, 1, 511, 3 << 12 | TABLE);
	put8(f, 3, 511, 4 << 12 | TABLE);
	put8(f, 4, 511, 5 << 12 | PAGE);
	leads_to(f, &three, 0x7fffffffff, 5);
	fails(f, &three, 0x8000000000, -EFAULT);
	fails(f, &three, 0xffffff7fffffffff, -EFAULT);
	put8(f, 2, 15, 4 << 12 | TABLE);
	leads_to(f, &two, 0xffffffffffffffff, 5);
	fails(f, &two, 0xfffffffffdffffff, -EFAULT);
	aside.root.arm.ttbr1 = 0x2f80 | ASID;
	put8(f, 2, 0xf80 / 8 + 15, 6 << 12 | TABLE);
	put8(f, 6, 511, 7 << 12 | PAGE);
	leads_to(f, &aside, 0xffffffffffffffff, 7);
}

FIXTURE_TEST(pages_of_16k)
{
	struct arm_state s = state_of(EL1, TCR(16, 16) | TG0_16K | TG1_16K);

	/* Tables are of four frames: frames 4 to 7, 8 to 11, 12 to 15. The root has two entries. */
	put8(f, 1, 1, 4 << 12 | TABLE);
	put8(f, 7, 511, 8 << 12 | TABLE | FLAGS);
	put8(f, 8, 1, 0x42000000 | BLOCK | FLAGS);
	put8(f, 11, 511, 12 << 12 | TABLE | 0x3000); /* bits below the granule are no part of the address */
	put8(f, 15, 511, 0x80004000 | PAGE | 0x3000);
	leads_to(f, &s, 0xffffffffffff & ~0x1000ull, 0x80006);
	leads_to(f, &s, 0xfff000000000 + 0x2000000 + 0x1234567, 0x42000 + 0x1234);
	fails(f, &s, 0, -EFAULT);
	put8(f, 7, 511, 8 << 12 | BLOCK); /* 64 GiB: there are no such blocks */
	fails(f, &s, 0xffffffffffff, -EFAULT);
}

FIXTURE_TEST(pages_of_64k)
{
	const struct arm_state s = state_of(EL1, TCR(16, 12) | TG0_64K | TG1_64K);

	/*
	 * 48 bits: 6, 13 and 13 of them; 52 bits: 10 at first. Tables are of 16 frames, so only their beginnings are
	 * here.
	 */
	put8(f, 1, 63, 16 << 12 | TABLE | FLAGS);
	put8(f, 16, 3, 0x60000000 | BLOCK);
	put8(f, 16, 4, 16 << 12 | TABLE | 0xf000);
	put8(f, 17, 0, 0xabcd0000 | PAGE);
	leads_to(f, &s, 0xfc0000000000 + 3 * 0x20000000ull + 0x1abcdef, 0x60000 + 0x1abc);
	leads_to(f, &s, 0xfc0000000000 + 4 * 0x20000000ull + 512 * 0x10000 + 0xffff, 0xabcdf);
	fails(f, &s, 0, -EFAULT);
	put8(f, 2, 511, 16 << 12 | TABLE);
	leads_to(f, &s, 0xfff0000000000000 + 511 * 0x40000000000ull + 3 * 0x20000000ull, 0x60000);
	fails(f, &s, 0x0001000000000000, -EFAULT);
}

/* What TCR says of the halves: of their size, of tags in the top byte, that one has no tables. */
FIXTURE_TEST(halves)
{
	const uint64_t tcr = TCR(25, 25) | TG1_4K, tbi0 = 1ull << 37, tbi1 = 1ull << 38, epd0 = 1 << 7, epd1 = 1 << 23;
	const uint64_t low = 0x1000, high = 0xffffff8000001000;
	struct arm_state s = state_of(EL1, tcr);
	struct vcpu_regs regs;
	uint64_t frame;

	for (unsigned root = 1; root <= 2; root++) {
		put8(f, root, 0, 3 << 12 | TABLE);
		put8(f, 3, 0, 4 << 12 | TABLE);
	}
	put8(f, 4, 1, 9 << 12 | PAGE);
	leads_to(f, &s, low, 9);
	leads_to(f, &s, high, 9);
	s.root.arm.tcr = tcr | epd0;
	fails(f, &s, low, -EFAULT);
	leads_to(f, &s, high, 9);
	s.root.arm.tcr = tcr | epd1;
	leads_to(f, &s, low, 9);
	fails(f, &s, high, -EFAULT);
	arm_mode(&s, &regs);
	capture_copy(f->capture);
	for (unsigned bits = 0; bits < 4; bits++) {
		regs.root.arm.tcr = tcr | (bits & 1 ? tbi0 : 0) | (bits & 2 ? tbi1 : 0);
		assert_int_equal(regs.arch->translate(f->capture, &regs.root, low | 0xabull << 56, &frame),
		                 bits & 1 ? 0 : -EFAULT);
		assert_int_equal(regs.arch->translate(f->capture, &regs.root, high & ~(0xabull << 56), &frame),
		                 bits & 2 ? 0 : -EFAULT);
	}
}

/* Whatever a guest writes to its registers. */
FIXTURE_TEST(hostile_registers)
{
	static const uint64_t tcrs[] = {0,      63,    48,           63 << 16 | 63,  3 << 14,
	                                TG1_4K, ~0ull, TG0_64K | 11, 1ull << 59 | 12};

	for (size_t i = 0; i < COUNT(tcrs); i++) {
		struct arm_state s = state_of(EL1, tcrs[i]);
		uint64_t frame;
		int rc = translate(f, &s, 0x1000, &frame);

		assert_true(rc == -EFAULT || rc == -EIO);
		rc = translate(f, &s, 0xfffffffffffff000, &frame);
		assert_true(rc == -EFAULT || rc == -EIO);
		s.root.arm.ttbr0 = s.root.arm.ttbr1 = ~0ull;
		rc = translate(f, &s, 0x1000, &frame);
		assert_true(rc == -EFAULT || rc == -EIO);
	}
}

FIXTURE_TEST(no_tables)
{
	struct arm_state s = state_of(EL1, TCR(16, 16) | TG1_4K), s32 = state_of(SVC, EAE);

	s.root.arm.sctlr &= ~1ull;
	leads_to(f, &s, 0x40001234, 0x40001);
	s32.root.arm.sctlr &= ~1ull;
	leads_to(f, &s32, 0xfffff000, 0xfffff);
}

/* Every entry leads back to its own table: there are as many steps as levels. */
FIXTURE_TEST(loops)
{
	const struct arm_state s = state_of(EL1, TCR(16, 16) | TG1_4K), lpae = state_of(SVC, EAE);
	struct arm_state narrow = state_of(SVC, 0);

	for (unsigned i = 0; i < 512; i++)
		put8(f, 2, i, 2 << 12 | TABLE);
	leads_to(f, &s, 0xffffffffffffffff, 2);
	for (unsigned i = 0; i < 512; i++)
		put8(f, 1, i, 1 << 12 | TABLE);
	leads_to(f, &lpae, 0xffffffff, 1);
	for (unsigned i = 0; i < 1024; i++)
		put4(f, 4, i, 4 << 12 | 1);
	narrow.root.arm.ttbr0 = 0x4000;
	leads_to(f, &narrow, 0x3fffffff, 0xf); /* as a page of 64 KiB, the first one */
}

/* --- 32-bit formats ---------------------------------------------------------------------------------------------- */

FIXTURE_TEST(long_descriptors)
{
	struct arm_state s = state_of(SVC, EAE);

	s.root.arm.ttbr0 = 0x1020 | ASID; /* four entries, at any multiple of 32 */
	put8(f, 1, 4 + 3, 3 << 12 | TABLE);
	put8(f, 1, 4 + 1, 0xff40000000 | BLOCK | FLAGS);
	put8(f, 3, 511, 4 << 12 | TABLE);
	put8(f, 3, 510, 0x1200000 | BLOCK);
	put8(f, 4, 511, 7 << 12 | PAGE);
	leads_to(f, &s, 0xffffffff, 7);
	leads_to(f, &s, 0xffc54321, 0x1200 + 0x54);
	leads_to(f, &s, 0x40000000 + 0x3fffffff, 0xff40000 + 0x3ffff);
	fails(f, &s, 0, -EFAULT);
	/* Linux with 3 GiB for user mode: the last one is TTBR1's, from level 2 on. */
	s.root.arm.tcr = EAE | 2 << 16;
	put8(f, 2, 1, 4 << 12 | TABLE);
	leads_to(f, &s, 0xc03ff000, 7);
	fails(f, &s, 0xc0000000, -EFAULT);
	leads_to(f, &s, 0x40000000, 0xff40000);
	/* What is in neither half. */
	s.root.arm.tcr = EAE | 2 << 16 | 1;
	fails(f, &s, 0x80000000, -EFAULT);
	/* TTBR1 has what TTBR0 leaves. */
	s.root.arm.tcr = EAE | 2;
	s.root.arm.ttbr0 = 0x2000;
	s.root.arm.ttbr1 = 0x1020;
	leads_to(f, &s, 0x3ff000, 7);
	leads_to(f, &s, 0x40000000, 0xff40000);
	s.root.arm.tcr = EAE | 2 | 1 << 23;
	fails(f, &s, 0x40000000, -EFAULT);
}

FIXTURE_TEST(short_descriptors)
{
	struct arm_state s = state_of(SVC, 0);

	/* The table at 16 KiB is of frames 4 to 7. */
	s.root.arm.ttbr0 = 0x404a;
	put4(f, 4, 1, 8 << 12 | 0x400 | 1);
	put4(f, 4, 2, 0xabc00000 | 0x0e);
	put4(f, 7, 1023, 0x42000000 | 1 << 18 | 0x0e | 1 << 20 | 2 << 5); /* bits 32 and 37 of the address */
	put4(f, 4, 3, 8 << 12 | 0x400 | 3);                               /* a section that must not be executed */
	put4(f, 8, 256 + 5, 0x12345000 | 0x55e);
	put4(f, 8, 256 + 6, 0x12340000 | 0x55d);
	put4(f, 8, 256 + 255, 9 << 12 | 3);
	leads_to(f, &s, 0x105fff, 0x12345);
	leads_to(f, &s, 0x106fff, 0x12346);
	leads_to(f, &s, 0x1fffff, 9);
	leads_to(f, &s, 0x2fffff, 0xabcff);
	leads_to(f, &s, 0xffffffff, 0x2142fff);
	leads_to(f, &s, 0x300000, 0);
	fails(f, &s, 0x100000, -EFAULT);
	fails(f, &s, 0x400000, -EFAULT);
	/* With N = 2 TTBR0 has the first GiB, by a table of 4 KiB, and TTBR1 the rest. */
	s.root.arm.tcr = 2;
	s.root.arm.ttbr0 = 0x304a;
	s.root.arm.ttbr1 = 0x404a;
	put4(f, 3, 1023, 0x77700000 | 0x0e);
	leads_to(f, &s, 0x3ff00000, 0x77700);
	leads_to(f, &s, 0xffffffff, 0x2142fff);
	s.root.arm.tcr = 2 | 1 << 4;
	fails(f, &s, 0x3ff00000, -EFAULT);
	leads_to(f, &s, 0xffffffff, 0x2142fff);
	s.root.arm.tcr = 2 | 1 << 5;
	leads_to(f, &s, 0x3ff00000, 0x77700);
	fails(f, &s, 0xffffffff, -EFAULT);
}

/* --- modes ------------------------------------------------------------------------------------------------------- */

#define VALUE(r) (((r) + 1) * 2) /* what the lower half of x[r] holds: no two are the same, and none is 0 */

FIXTURE_TEST(modes)
{
	static const struct {
		uint32_t cpsr;
		uint64_t tcr, sp, fp, link;
		enum arch_id arch, guest;
		bool user;
	} cases[] = {
		{EL0, 2ull << 32, 1000, 29, 30, ARCH_ARM64, ARCH_ARM64, true},
		{EL1, 0, 1001, 29, 30, ARCH_ARM64, ARCH_ARM64, false},
		{0x4, 0, 1000, 29, 30, ARCH_ARM64, ARCH_ARM64, false}, /* EL1 on the other stack */
		{USR, 0, 13, 11, 14, ARCH_ARM32, ARCH_ARM32, true},
		{USR, 2ull << 32, 13, 11, 14, ARCH_ARM32, ARCH_ARM64, true}, /* a 64-bit kernel's program */
		{USR | THUMB, 0, 13, 7, 14, ARCH_ARM32, ARCH_ARM32, true},
		{0x11, 0, 29, 27, 30, ARCH_ARM32, ARCH_ARM32, false},
		{0x12, 0, 17, 11, 16, ARCH_ARM32, ARCH_ARM32, false},
		{SVC, 2ull << 32, 19, 11, 18, ARCH_ARM32, ARCH_ARM32, false},
		{0x17, 0, 21, 11, 20, ARCH_ARM32, ARCH_ARM32, false},
		{0x1b, 0, 23, 11, 22, ARCH_ARM32, ARCH_ARM32, false},
		{0x1f, 0, 13, 11, 14, ARCH_ARM32, ARCH_ARM32, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arm_state s = state_of(cases[i].cpsr, cases[i].tcr);
		struct vcpu_regs regs;

		s.sp_el0 = 1000;
		s.sp_el1 = 1001;
		s.pc = 0x123456789a;
		for (unsigned r = 0; r < 31; r++)
			s.x[r] = VALUE(r) | 1ull << 32;
		arm_mode(&s, &regs);
		assert_true(regs.valid);
		assert_int_equal(regs.arch->id, cases[i].arch);
		assert_int_equal(arm_guest_arch(&s), cases[i].guest);
		assert_int_equal(regs.user, cases[i].user);
		if (cases[i].arch == ARCH_ARM64) {
			assert_int_equal(regs.ip, 0x123456789a);
			assert_int_equal(regs.sp, cases[i].sp);
			assert_int_equal(regs.fp, VALUE(cases[i].fp) | 1ull << 32);
			assert_int_equal(regs.link, VALUE(cases[i].link) | 1ull << 32);
			assert_memory_equal(regs.all, s.x, sizeof(s.x));
			assert_int_equal(regs.all[31], cases[i].sp);
		} else {
			assert_int_equal(regs.ip, 0x3456789a);
			assert_int_equal(regs.sp, VALUE(cases[i].sp));
			assert_int_equal(regs.fp, VALUE(cases[i].fp));
			assert_int_equal(regs.link, VALUE(cases[i].link));
			for (unsigned r = 0; r < 13; r++) /* in mode FIQ r8 to r12 are others */
				assert_int_equal(regs.all[r], VALUE(cases[i].cpsr == 0x11 && r >= 8 ? r + 16 : r));
			assert_int_equal(regs.all[13], VALUE(cases[i].sp));
			assert_int_equal(regs.all[14], VALUE(cases[i].link));
		}
	}
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

#define STACK 0x14000u /* in frame 20, with the MMU off */

static enum upf_end walk(struct fixture *f, const struct vcpu_regs *regs, uint64_t *frames, uint32_t max,
                         uint32_t *depth)
{
	enum upf_end end;
	uint64_t above;

	do {
		struct space space = space_of(regs, f->capture);

		capture_copy(f->capture);
		end = walk_frames(&space, regs, frames, max, depth, &above);
	} while (end == UPF_END_COLD && capture_extend(f->capture) >= 0);
	return end;
}

/*
 * The stack of a vCPU whose frame pointer is STACK + @fp, in T32 code STACK, words from STACK on; as UPF_END_ROOT the
 * walk must end.
 */
static void is_chain(struct fixture *f, uint32_t cpsr, uint32_t fp, const uint64_t *words, size_t n,
                     const uint64_t *expected, uint32_t depth)
{
	struct arm_state s = state_of(cpsr, 0);
	struct vcpu_regs regs;
	uint64_t frames[8];
	uint32_t got;
	enum upf_end end;

	s.root.arm.sctlr = 0;
	s.pc = 0x40001000;
	s.x[7] = STACK;
	s.x[29] = s.x[11] = STACK + fp;
	for (unsigned i = 0; i < n; i++)
		(cpsr == EL1 ? put8 : put4)(f, STACK >> 12, i, words[i]);
	arm_mode(&s, &regs);
	end = walk(f, &regs, frames, COUNT(frames), &got);
	assert_int_equal(end, UPF_END_ROOT);
	assert_int_equal(got, depth);
	assert_int_equal(frames[0], 0x40001000);
	for (uint32_t i = 1; i < depth; i++)
		assert_true(frames[i] == expected[i - 1]);
}
#define IS_CHAIN(f, cpsr, fp, words, ...) \
	is_chain(f, cpsr, fp, words, COUNT(words), (const uint64_t[]){__VA_ARGS__}, \
	         1 + sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

FIXTURE_TEST(frames_of_64_bit_code)
{
	static const uint64_t words[] = {0, STACK + 0x20, 0xffff800040002001, 0, STACK + 0x30, 0x40003000,
	                                 0, 0x40004000};

	IS_CHAIN(f, EL1, 8, words, 0xffff800040002001, 0x40003000, 0x40004000);
}

FIXTURE_TEST(frames_of_clang)
{
	/* A function keeps a pointer to its caller's stack below its frame, as gcc would the frame pointer. */
	static const uint64_t words[] = {STACK + 0x18, STACK + 0x10, 0x40002000, 7, STACK + 0x1c, 0x40003001, 8, 0,
	                                 0x40004000};

	IS_CHAIN(f, SVC, 4, words, 0x40002000, 0x40003000, 0x40004000);
}

FIXTURE_TEST(frames_of_gcc)
{
	static const uint64_t words[] = {STACK + 0x14, 0x40002000, 7, 8, STACK + 0x20, 0x40003001, 9, 0, 0x40004000};

	IS_CHAIN(f, SVC, 4, words, 0x40002000, 0x40003000, 0x40004000);
}

/* T32, A32 of clang's, T32, A32 of gcc's. Each saves its own frame pointer, whatever its caller has there. */
FIXTURE_TEST(frames_of_both_sets)
{
	uint64_t words[] = {STACK + 0x20, 0x40002000, 0, 9, STACK + 0x34, 0x40003001, 0, 0, 5,
	                    0x40004000,   0,          0, 0, 0x40005000};

	IS_CHAIN(f, SVC | THUMB, 0x10, words, 0x40002000, 0x40003000, 0x40004000, 0x40005000);
	words[4] = 7; /* it was no frame pointer, */
	words[8] = 0; /* as there was none */
	IS_CHAIN(f, SVC | THUMB, 0x10, words, 0x40002000, 0x40003000, 0x40004000);
	words[0] = 0; /* the end, and register 11 is used for something else */
	IS_CHAIN(f, SVC | THUMB, 0x10, words, 0x40002000);
}

/* Its caller is in the link register: the walk does not know whether it is still there. */
FIXTURE_TEST(leaf_of_gcc)
{
	static const uint64_t words[] = {5, STACK + 0x14, 6, 7, STACK + 0x20, 0x40003000, 9, 0, 0x40004000};

	IS_CHAIN(f, SVC, 4, words, 0x40003000, 0x40004000);
}

/* Frames that lead astray: out of the stack, to themselves, below address 4. */
FIXTURE_TEST(bad_frames_of_32_bit_code)
{
	static const uint32_t pointers[] = {STACK, 0xfffffffc, 4, 0xfffffff8};

	for (size_t i = 0; i < COUNT(pointers); i++) {
		struct arm_state s = state_of(SVC, 0);
		struct vcpu_regs regs;
		uint64_t frames[8];
		uint32_t got;
		enum upf_end end;

		s.root.arm.sctlr = 0;
		s.x[11] = pointers[i];
		put4(f, STACK >> 12, 0, STACK);
		put4(f, (STACK >> 12) - 1, 1023, STACK);
		arm_mode(&s, &regs);
		end = walk(f, &regs, frames, COUNT(frames), &got);
		assert_true(end != UPF_END_ROOT && end != UPF_END_DEPTH);
	}
}
