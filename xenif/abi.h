/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abi.h - converts Xen's public structures to those of guest/hypervisor.h, for both backends on a real Xen. What
 * depends on the processor that Xen runs on is in abi_x86.c and abi_arm.c, of which the makefile takes one.
 */
#ifndef XENIF_ABI_H
#define XENIF_ABI_H

#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__
#endif
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/xen.h>
#include <xen/domctl.h>
#include <xen/sched.h>

#include "common/registers.h"
#include "guest/hypervisor.h"

/* @interface: the version of the domctl interface that @from was read by. */
void abi_info(const struct xen_domctl_getdomaininfo *from, uint32_t interface, struct guest_info *to);
/* @before: NULL for a vCPU that was asleep. */
void abi_vcpu(const struct xen_domctl_getvcpuinfo *before, const struct xen_domctl_getvcpuinfo *after,
              struct vcpu_stop *to);

/* What sort of guest a domain is. */
enum guest_kind abi_kind(const struct xen_domctl_getdomaininfo *from, uint32_t interface);
/* A vCPU's registers as Xen gives them for this kind of guest are in a buffer of so many bytes. */
extern const size_t abi_context_size;
/* Makes @op, whose head the caller has filled in, the call that asks for the registers of @vcpu. */
void abi_ask(struct xen_domctl *op, enum guest_kind kind, uint32_t vcpu, void *context);
/* @arch: the guest's, of abi_arch(); a PV guest's buffer depends on it. */
void abi_regs(enum guest_kind kind, enum arch_id arch, const void *context, struct vcpu_regs *to);
/* Adds all that is not in struct vcpu_regs. */
void abi_registers(enum guest_kind kind, enum arch_id arch, const void *context, struct register_set *to);
/*
 * The instruction set that the guest seems to be made for: a PV guest by its word size, in @bits, others by the
 * registers of one vCPU; NULL: not known yet.
 */
enum arch_id abi_arch(enum guest_kind kind, uint32_t bits, const void *context);

/* Explains in one line for the user why the hypervisor's device cannot be opened, given the errno. */
void abi_explain_open(int error, char *why, size_t size);

#endif
