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
/* Registers of a PVH or HVM guest, and which instruction set it seems to be made for. */
void abi_regs_hvm(const struct hvm_hw_cpu *from, struct vcpu_regs *to);
enum arch_id abi_arch_hvm(const struct hvm_hw_cpu *from);
/* Asks for vCPU @vcpu's struct hvm_hw_cpu, in the layout that this version of the interface has. */
void abi_ask_hvm(struct xen_domctl *op, uint32_t interface, uint32_t vcpu, struct hvm_hw_cpu *to);

/* Explains in one line for the user why the hypervisor's device cannot be opened, given the errno. */
void abi_explain_open(int error, char *why, size_t size);

#endif
