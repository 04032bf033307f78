/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/bpf/live_arch.h"

#include <string.h>

bool live_is_possible(struct live_places *p, bool needs_sp, char *why, size_t size)
{
	(void)p, (void)needs_sp, (void)why, (void)size;
	return true;
}

/* The program finds all by itself: KVM is no module. */
int live_find_places(struct live_places *p)
{
	(void)p;
	return 0;
}

unsigned live_encryption_at(void)
{
	return 0;
}

bool live_place_lacks_sp(const struct live_places *p)
{
	(void)p;
	return false;
}

/* Bits 2 and 3 are the exception level. */
bool live_place_lacks_space(const struct live_places *p, const uint64_t *pstate)
{
	(void)p;
	return !pstate || (*pstate >> 2 & 3) != 1;
}

/*
 * KVM keeps no reason of its own: ESR_EL2 is that of the last exit that was no interrupt. So the reason is known only
 * where the monitor was told it.
 */
enum guest_exit live_exit_of(const struct live_places *p, const struct live_slot *s, const struct kvm_run *run)
{
	(void)p;
	if (s->place == LIVE_IN_GUEST || (s->place == LIVE_IN_KVM && s->thread == LIVE_TAKEN))
		return GUEST_EXIT_NONE;
	return s->place == LIVE_OUTSIDE && run->exit_reason == KVM_EXIT_MMIO ? GUEST_EXIT_MEMORY : GUEST_EXIT_OTHER;
}

enum live_found live_registers_of(const struct live_places *p, const struct live_slot *s, struct vcpu_state *to)
{
	const struct live_arm64 *a = &s->arm64;

	(void)p;
	*to = (struct vcpu_state){
		.arm = {.sp_el0 = a->sp_el0,
	                .sp_el1 = a->sp_el1,
	                .pc = a->pc,
	                .cpsr = (uint32_t)a->pstate,
	                .root.arm = {a->ttbr0, a->ttbr1, a->tcr, a->sctlr}},
		.elr = a->elr,
		.spsr = a->spsr,
		.nested = s->foreign,
	};
	memcpy(to->arm.x, a->x, sizeof(to->arm.x));
	return LIVE_FOUND;
}
