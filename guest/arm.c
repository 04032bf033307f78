/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/arm.h"

#include <string.h>

#include "guest/space.h"

#define CPSR_THUMB 0x20u
#define CPSR_AARCH32 0x10u
#define CPSR_MODE 0xfu
#define CPSR_SP_EL1 0x1u
#define FIQ 1 /* a mode with registers of its own from r8 on */

static bool canonical_64(uint64_t address)
{
	/* Processors have addresses of up to 52 bits; how many of them count, TCR says. */
	uint64_t top = address >> 52;

	return top == 0 || top == 0xfff;
}

static bool arm_canonical_32(uint64_t address)
{
	return address <= UINT32_MAX;
}

/* --- frames of 32-bit code --------------------------------------------------------------------------------------- */

#define CALLER_MAX 0x100000u /* bytes up to a caller's frame */

/* Can @caller be the frame pointer of the caller of frame @fp? 0 is: of the outermost function. */
static bool can_be_caller(uint64_t fp, uint64_t caller)
{
	return caller == 0 || (caller > fp && caller - fp <= CALLER_MAX && caller % 4 == 0);
}

/* The frame pointer points to the saved one, and the return address is above that. */
static int clang_frame(struct space *space, uint64_t fp, uint64_t saved, uint64_t *caller, uint64_t *address)
{
	*caller = saved;
	return space_read(space, fp + 4, address);
}

/*
 * The frame pointer points to the return address, and the saved one is below that. Or it is clang's, and was called by
 * T32 code, for which this register is one like others.
 */
static int gcc_frame(struct space *space, uint64_t fp, uint64_t saved, uint64_t *caller, uint64_t *address)
{
	uint64_t above;
	int rc = space_read(space, fp - 4, caller);

	*address = saved;
	if (rc != 0 || can_be_caller(fp, *caller) || space_read(space, fp + 4, &above) != 0 || !(above & 1))
		return rc;
	*caller = saved;
	*address = above;
	return 0;
}

/*
 * T32 code's frames are as clang's. A leaf of gcc's A32 code saves the frame pointer alone: its caller is in the link
 * register only, and its caller's frame shows that it is gcc's.
 */
int arm32_frame(struct space *space, uint64_t fp, unsigned set, bool innermost, uint64_t *caller, uint64_t *address)
{
	uint64_t saved, next;
	int rc = space_read(space, fp, &saved);

	if (rc != 0)
		return rc;
	if (set == 0 && !can_be_caller(fp, saved))
		return gcc_frame(space, fp, saved, caller, address);
	if (set == 0 && innermost && saved != 0) {
		rc = space_read(space, saved, &next);
		if (rc != 0)
			return rc;
		if (!can_be_caller(saved, next))
			return gcc_frame(space, saved, next, caller, address);
	}
	return clang_frame(space, fp, saved, caller, address);
}

/* --- modes ------------------------------------------------------------------------------------------------------- */

static uint32_t arm_word_at(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

/* BL, and BLR with or without authentication (Arm ARM, C4.1). */
bool arm64_ends_call(const uint8_t *code)
{
	uint32_t instruction = arm_word_at(code + ARCH_CALL_BYTES - 4);

	return (instruction & 0xfc000000) == 0x94000000 || (instruction & 0xfffffc1f) == 0xd63f0000 ||
	       (instruction & 0xfefff800) == 0xd63f0800;
}

/*
 * BL and BLX of A32, conditional or not, and any instruction behind mov lr, pc, by which older processors' code calls;
 * BL and BLX of T32 (Arm ARM, F4.1 and F3.1). Which of both it is, a frame without bit 0 of the address does not tell.
 */
bool arm32_ends_call(const uint8_t *code)
{
	uint32_t before = arm_word_at(code), last = arm_word_at(code + 4);
	uint16_t first = (uint16_t)last, second = (uint16_t)(last >> 16);

	return (last & 0x0f000000) == 0x0b000000 || (last & 0xfe000000) == 0xfa000000 ||
	       (last & 0x0ffffff0) == 0x012fff30 || (before & 0x0fffffff) == 0x01a0e00f ||
	       ((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) || (second & 0xff87) == 0x4780;
}

/*
 * Pointer authentication signs the bits that the address space does not use; bit 55 is not among them (Arm ARM,
 * D8.10).
 */
uint64_t arm64_code_address(uint64_t saved)
{
	const uint64_t unused = 0xffffull << 48;

	return saved >> 55 & 1 ? saved | unused : saved & ~unused;
}

/* Bit 0 says that it is T32 code. */
uint64_t arm32_code_address(uint64_t saved)
{
	return saved & ~(uint64_t)1;
}

static const struct arch arm64 = {
	.id = ARCH_ARM64,
	.registers = 32,
	.word = 8,
	.return_offset = 8,
	.canonical = canonical_64,
	.translate = arm64_walk,
	.ends_call = arm64_ends_call,
	.code_address = arm64_code_address,
};

/* Of a 32-bit kernel and its programs; a program of a 64-bit kernel, whose page tables hold its addresses. */
#define ARM32(walk) \
	{ \
		.id = ARCH_ARM32, .registers = 15, .word = 4, .return_offset = 4 /* at most */, \
		.canonical = arm_canonical_32, .frame_pointers = ARM32_FRAME_POINTERS, .frame = arm32_frame, \
		.translate = (walk), .ends_call = arm32_ends_call, .code_address = arm32_code_address \
	}

static const struct arch arm32 = ARM32(arm32_walk), arm32_of_64 = ARM32(arm64_walk);

static bool is_32(const struct arm_state *state)
{
	return state->cpsr & CPSR_AARCH32;
}

/*
 * Of a program of 32 bits the processor does not tell what its kernel is. A 64-bit kernel sets bits above 31 of TCR
 * (the size of physical addresses and more), which a 32-bit one has not.
 */
static bool is_kernel_32(const struct arm_state *state)
{
	return is_32(state) && ((state->cpsr & CPSR_MODE) != 0 || state->root.arm.tcr >> 32 == 0);
}

enum arch_id arm_guest_arch(const struct arm_state *state)
{
	return is_kernel_32(state) ? ARCH_ARM32 : ARCH_ARM64;
}

static void mode_64(const struct arm_state *state, struct vcpu_regs *regs)
{
	regs->arch = &arm64;
	regs->user = (state->cpsr & CPSR_MODE) == 0;
	regs->ip = state->pc;
	regs->sp = state->cpsr & CPSR_SP_EL1 ? state->sp_el1 : state->sp_el0;
	regs->fp = state->x[29];
	regs->link = state->x[30];
	memcpy(regs->all, state->x, sizeof(state->x));
	regs->all[31] = regs->sp;
}

static void mode_32(const struct arm_state *state, struct vcpu_regs *regs)
{
	/* Where x[] has r13 and r14, by the processor's mode; 0: there is no such mode. */
	static const struct {
		uint8_t sp, lr;
	} banks[16] = {
		[0] = {13, 14}, [1] = {29, 30},  [2] = {17, 16},  [3] = {19, 18},
		[7] = {21, 20}, [11] = {23, 22}, [15] = {13, 14},
	};
	const unsigned mode = state->cpsr & CPSR_MODE;

	regs->arch = is_kernel_32(state) ? &arm32 : &arm32_of_64;
	regs->user = mode == 0;
	regs->ip = (uint32_t)state->pc;
	regs->sp = (uint32_t)state->x[banks[mode].sp];
	regs->link = (uint32_t)state->x[banks[mode].lr] & ~1u;
	for (unsigned r = 0; r < 13; r++)
		regs->all[r] = (uint32_t)state->x[mode == FIQ && r >= 8 ? r + 16 : r];
	regs->all[13] = regs->sp;
	regs->all[14] = (uint32_t)state->x[banks[mode].lr];
	regs->fp = regs->all[regs->arch->frame_pointers[(state->cpsr & CPSR_THUMB) != 0]];
}

void arm_mode(const struct arm_state *state, struct vcpu_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	regs->valid = true;
	regs->root = state->root;
	(is_32(state) ? mode_32 : mode_64)(state, regs);
}
