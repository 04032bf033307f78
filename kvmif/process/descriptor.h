/* SPDX-License-Identifier: BSD-2-Clause */
/* descriptor.h - descriptors of another process, copied, and looked at after that. */
#ifndef KVMIF_PROCESS_DESCRIPTOR_H
#define KVMIF_PROCESS_DESCRIPTOR_H

/* What links in /proc/PID/fd call them. The number of the vCPU is behind it. */
#define DESCRIPTOR_VM "anon_inode:kvm-vm"
#define DESCRIPTOR_VCPU "anon_inode:kvm-vcpu:"

/*
 * A copy of descriptor @number of the process of @pidfd, which the caller closes; or a negative errno. -EBADFD: its
 * link is not called @name. The process may exchange the descriptor at any moment, so it is the copy that is looked at.
 */
int descriptor_take(int pidfd, int number, const char *name);

#endif
