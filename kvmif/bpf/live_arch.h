/* SPDX-License-Identifier: BSD-2-Clause */
/* live_arch.h - what live.c and iterator.c leave to live_x86.c and live_arm64.c. */
#ifndef KVMIF_BPF_LIVE_ARCH_H
#define KVMIF_BPF_LIVE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/hypervisor.h"
#include "kvmif/arch/state.h"
#include "kvmif/bpf/live_slot.h"

enum live_found {
	LIVE_FOUND,
	LIVE_NOT_FOUND, /* Intel: KVM has not read rip since the exit */
};

/* As live_open(). Sets in @p what needs no BTF. */
bool live_is_possible(struct live_places *p, bool needs_sp, char *why, size_t size);
/* By the kernel's BTF, and that of KVM where it is a module. 0 or a negative errno. */
int live_find_places(struct live_places *p);
/*
 * Where KVM has the byte that says that a machine's memory is encrypted (SEV), in bytes from the beginning of its struct
 * kvm. 0: it has none, or nothing tells.
 */
unsigned live_encryption_at(void);
/* As live_lacks_sp(), live_exit() and live_registers(). */
bool live_place_lacks_sp(const struct live_places *p);
/*
 * As live_lacks_space(); @pstate is the processor's state while it runs the host's kernel, 0: not known. Without
 * @pstate: is that asked for?
 */
bool live_place_lacks_space(const struct live_places *p, const uint64_t *pstate);
enum guest_exit live_exit_of(const struct live_places *p, const struct live_slot *s, const struct kvm_run *run);
enum live_found live_registers_of(const struct live_places *p, const struct live_slot *s, struct vcpu_state *to);

#endif
