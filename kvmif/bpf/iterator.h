/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iterator.h - what the kernel itself knows of its virtual machines: memory slots, vCPUs' threads, whether the
 * registers are protected. A BPF program reads it (iterator.bpf.c); where the program could not be built,
 * no_iterator.c stands in.
 */
#ifndef KVMIF_BPF_ITERATOR_H
#define KVMIF_BPF_ITERATOR_H

#include <stddef.h>
#include <sys/types.h>

#include "kvmif/bpf/record.h"

struct iterator;

/*
 * Loads the program, which needs CAP_BPF and CAP_PERFMON, or root. From then on the descriptor suffices. NULL: @why is
 * the reason in a few words.
 */
struct iterator *iterator_open(char *why, size_t size);
void iterator_close(struct iterator *it); /* NULL is fine */

/*
 * Calls @each for every record there is now of process @pid, and before Linux 6.1 of all processes, which takes longer
 * the more files they have open; it returns 0 or a negative errno, which ends it. 0 or a negative errno.
 */
int iterator_read(struct iterator *it, pid_t pid, int (*each)(void *ctx, const struct kvm_record *record), void *ctx);

#endif
