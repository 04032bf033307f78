/* SPDX-License-Identifier: BSD-2-Clause */
/* abi.h - converts Xen's public structures to those of guest/hypervisor.h, for both backends on a real Xen. */
#ifndef XENIF_ABI_H
#define XENIF_ABI_H

#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__
#endif
#include <stdarg.h>
#include <stdint.h>

#include <xen/xen.h>
#include <xen/domctl.h>
#include <xen/hvm/save.h>

#include "guest/hypervisor.h"

/* @interface: the version of the domctl interface that @from was read by. */
void abi_info(const struct xen_domctl_getdomaininfo *from, uint32_t interface, struct guest_info *to);
/* @before: NULL for a vCPU that was asleep. */
void abi_vcpu(const struct xen_domctl_getvcpuinfo *before, const struct xen_domctl_getvcpuinfo *after,
              struct vcpu_stop *to);
/* Registers of a 64-bit PV guest. */
void abi_regs_pv64(const vcpu_guest_context_t *from, struct vcpu_regs *to);

/* A vCPU's registers: of a PV guest, or of a PVH or HVM guest. */
union abi_context {
	vcpu_guest_context_t pv;
	struct hvm_hw_cpu hvm;
};

/* Has @op, which names domain and version, ask for a vCPU's registers, to be written to @to. */
void abi_ask(struct xen_domctl *op, enum guest_kind kind, uint32_t vcpu, union abi_context *to);
void abi_regs(const union abi_context *from, enum guest_kind kind, struct vcpu_regs *to);
/* The instruction set that the guest seems to be made for. */
enum arch_id abi_arch(const union abi_context *from, enum guest_kind kind);

/* Explains in one line for the user why the hypervisor's device cannot be opened, given the errno. */
void abi_explain_open(int error, char *why, size_t size);

#endif
