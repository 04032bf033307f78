/* SPDX-License-Identifier: BSD-2-Clause */
/* Code with displacements that no frame has: guests' code may hold any. */
#include "tests/unit/unit.h"
#include "report/isa/flow.h"
#include "report/isa/x86.h"

#include <stdlib.h>

static const uint8_t add_16[] = {0x48, 0x83, 0xc4, 0x10},               /* add $16, %rsp */
	add_huge[] = {0x48, 0x81, 0xc4, 0xf8, 0xff, 0xff, 0x7f},        /* add $0x7ffffff8, %rsp */
	sub_huge[] = {0x48, 0x81, 0xec, 0xf8, 0xff, 0xff, 0x7f},        /* sub $0x7ffffff8, %rsp */
	store_rbx[] = {0x48, 0x89, 0x9c, 0x24, 0xf8, 0xff, 0xff, 0x7f}, /* mov %rbx, 0x7ffffff8(%rsp) */
	load_rbx[] = {0x48, 0x8b, 0x9c, 0x24, 0xf8, 0xff, 0xff, 0x7f},  /* mov 0x7ffffff8(%rsp), %rbx */
	lea_rbp[] = {0x48, 0x8d, 0xac, 0x24, 0xf8, 0xff, 0xff, 0x7f},   /* lea 0x7ffffff8(%rsp), %rbp */
	lea_near_rbp[] = {0x48, 0x8d, 0x6c, 0x24, 0xf8},                /* lea -8(%rsp), %rbp */
	push_rbx[] = {0x53}, pop_rbx[] = {0x5b}, leave[] = {0xc9};

struct code {
	const uint8_t *bytes;
	size_t size;
};
#define CODE(name) \
	{ \
		name, sizeof(name) \
	}

static struct frame_state follow_isa(const struct isa *isa, const struct code *code, size_t n)
{
	struct flow_reader *r = flow_open(isa);
	struct frame_state s = flow_entry(isa);
	struct instruction x;

	assert_non_null(r);
	for (size_t i = 0; i < n; i++) {
		assert_true(flow_step(r, isa, code[i].bytes, code[i].size, 0x1000 + 16 * i, &s, &x));
		assert_int_equal(x.size, code[i].size);
	}
	flow_close(r);
	return s;
}

static struct frame_state follow(const struct code *code, size_t n)
{
	return follow_isa(&isa_x86_64, code, n);
}

/* rsp = CFA + 8; so the word is 2^31 above the CFA, and what is saved there cannot be told by an offset. */
TEST(saved_too_far)
{
	const struct code store[] = {CODE(add_16), CODE(store_rbx)}, load[] = {CODE(add_16), CODE(load_rbx)};
	struct frame_state s = follow(store, COUNT(store));

	assert_int_equal(s.kept[isa_kept(&isa_x86_64, X86_RBX)].where, CFI_SAME);
	assert_true(s.sp_known && s.sp == -8);
	s = follow(load, COUNT(load));
	assert_int_equal(s.kept[isa_kept(&isa_x86_64, X86_RBX)].where, CFI_LOST);
}

TEST(stack_pointer_too_far)
{
	const struct code popped[] = {CODE(add_huge), CODE(add_16), CODE(pop_rbx)},
			  back[] = {CODE(add_huge), CODE(add_16), CODE(sub_huge)},
			  pushed[] = {CODE(sub_huge), CODE(push_rbx)};
	struct frame_state s = follow(popped, COUNT(popped));

	assert_false(s.sp_known);
	assert_int_equal(s.kept[isa_kept(&isa_x86_64, X86_RBX)].where, CFI_LOST);
	s = follow(back, COUNT(back));
	assert_false(s.sp_known); /* not wrong, but unknown */
	s = follow(pushed, COUNT(pushed));
	assert_false(s.sp_known);
	assert_int_equal(s.kept[isa_kept(&isa_x86_64, X86_RBX)].where, CFI_SAME);
}

TEST(frame_pointer_too_far)
{
	const struct code far[] = {CODE(add_16), CODE(lea_rbp), CODE(leave)}, near[] = {CODE(lea_near_rbp)};
	struct frame_state s = follow(far, COUNT(far));

	assert_false(s.fp_known);
	assert_false(s.sp_known);
	s = follow(near, COUNT(near));
	assert_true(s.fp_known && s.fp == 16);
}

/* A call of the kernel leaves the link register alone. */
TEST(link_register_of_arm)
{
	const struct code a32[] = {{(const uint8_t *)"\x00\x00\x00\xef", 4}},
			  t32[] = {{(const uint8_t *)"\x00\xdf", 2}};

	assert_int_equal(follow_isa(&isa_arm, a32, 1).kept[isa_kept(&isa_arm, 14)].where, CFI_SAME);
	assert_int_equal(follow_isa(&isa_t32, t32, 1).kept[isa_kept(&isa_t32, 14)].where, CFI_SAME);
}

/* ldr r7, [sp], #8 and str r7, [sp, #-8]!: the base moves by all of it. */
TEST(base_of_arm_moves)
{
	const struct code load[] = {{(const uint8_t *)"\x08\x70\x9d\xe4", 4}},
			  store[] = {{(const uint8_t *)"\x08\x70\x2d\xe5", 4}};

	assert_int_equal(follow_isa(&isa_arm, load, 1).sp, -8);
	assert_int_equal(follow_isa(&isa_arm, store, 1).sp, 8);
}

/* itt ne; movne r4, #1; popne {r4, pc}; then not conditional any more: what may not be executed changes nothing. */
TEST(conditional_of_t32)
{
	const struct code all[] = {{(const uint8_t *)"\x1c\xbf", 2},
	                           {(const uint8_t *)"\x01\x24", 2},
	                           {(const uint8_t *)"\x10\xbd", 2},
	                           {(const uint8_t *)"\x10\xb5", 2}};
	struct frame_state s = follow_isa(&isa_t32, all, 3);

	assert_true(s.sp_known && s.sp == 0 && s.it == 0);
	assert_int_equal(s.kept[isa_kept(&isa_t32, 4)].where, CFI_LOST);
	assert_int_equal(s.kept[isa_kept(&isa_t32, 14)].where, CFI_SAME);
	s = follow_isa(&isa_t32, all, 4);
	assert_true(s.sp == 8 && s.kept[isa_kept(&isa_t32, 14)].where == CFI_SAVED);
}
