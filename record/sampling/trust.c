/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/trust.h"

#define REGION_SHIFT 31 /* code that calls each other directly lies within 2 GiB */

bool trust_frame_pointer(const struct vcpu_regs *regs, uint64_t size)
{
	return regs->fp >= regs->sp && regs->fp - regs->sp < size;
}

static bool is_near(uint64_t a, uint64_t b)
{
	return (a >> REGION_SHIFT) + 1 - (b >> REGION_SHIFT) <= 2;
}

/* Code that cannot be read may be there if it is near what runs. */
static bool may_return_to(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs, uint64_t address)
{
	enum behind_call found = returns_find(r, arch, regs, address);

	return found == BEHIND_CALL || (found == BEHIND_UNKNOWN && is_near(address, regs->ip));
}

bool trust_end(enum upf_end end, uint32_t depth)
{
	return (end == UPF_END_ROOT || end == UPF_END_DEPTH) && depth >= 2;
}

bool trust_frames(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs, const uint64_t *frames,
                  uint32_t depth)
{
	for (uint32_t i = 1; i < depth; i++)
		if (!may_return_to(r, arch, regs, frames[i]))
			return i > 1 && i + 1 == depth;
	return true;
}

bool trust_gap(struct returns *r, const struct arch *arch, const struct vcpu_regs *regs, const uint64_t *words,
               uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_near(words[i], regs->ip) && returns_find(r, arch, regs, words[i]) == BEHIND_CALL)
			return false;
	return true;
}
