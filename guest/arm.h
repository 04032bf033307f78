/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arm.h - the modes that an ARM vCPU can be in, for every hypervisor: 64-bit code, 32-bit code of a 64-bit kernel, and
 * of a 32-bit one. A guest changes them as it likes, so the mode is found at each sample.
 */
#ifndef GUEST_ARM_H
#define GUEST_ARM_H

#include "guest/arch.h"
#include "guest/capture.h"
#include "guest/hypervisor.h"

/*
 * A vCPU's registers as the hypervisor gives them. x[] are those of AArch64; in AArch32 state they hold r0 to r14 of
 * each processor mode, in the places that the architecture gives them (Arm ARM, D1.20.2 "Mapping of general-purpose
 * registers"): r13 and r14 of SVC mode, for example, are x[19] and x[18].
 */
struct arm_state {
	uint64_t x[31], sp_el0, sp_el1, pc;
	uint32_t cpsr;
	struct space_root root;
};

/* Sets all of @regs, which is valid then. */
void arm_mode(const struct arm_state *state, struct vcpu_regs *regs);
/* The instruction set of the guest's kernel. */
enum arch_id arm_guest_arch(const struct arm_state *state);

#define ARM32_FRAME_POINTERS \
	{ \
		11, 7 \
	} /* of A32 and T32 code */

/* struct arch, of AArch64 and of 32-bit code. */
bool arm64_ends_call(const uint8_t *code);
uint64_t arm64_code_address(uint64_t saved);
int arm32_frame(struct space *space, uint64_t fp, unsigned set, bool innermost, uint64_t *caller, uint64_t *address);
bool arm32_ends_call(const uint8_t *code);
uint64_t arm32_code_address(uint64_t saved);

/*
 * Walk the page tables of ARM, in every format that its processors have (Arm ARM, D8 and G5), as translate() of struct
 * arch; frames are of 4 KiB, whatever the granule. At most four steps, whatever the tables hold; each of the tables may
 * have been changed by the guest since the last one was read.
 */
int arm64_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);
int arm32_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame);

#endif
