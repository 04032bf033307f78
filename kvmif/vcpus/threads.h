/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.h - which thread of a monitor runs which vCPU, where the kernel does not tell; and who traces its threads. */
#ifndef KVMIF_VCPUS_THREADS_H
#define KVMIF_VCPUS_THREADS_H

#include "kvmif/process/process.h"

/*
 * Without a stop: notes the threads that sleep in KVM_RUN now in @threads, by vCPU. How many vCPUs are without a
 * thread, or a negative errno.
 */
int threads_look(const struct machine *m, pid_t threads[MACHINE_VCPUS_MAX]);
/*
 * Stops each thread that runs, and is not known to run a vCPU, for a moment: it may be in KVM_RUN. 0 or a negative
 * errno; -EBUSY: another program traces it. *late: some do not stop, and the end of this thread lets them go.
 */
int threads_stop(const struct machine *m, pid_t threads[MACHINE_VCPUS_MAX], bool *late);
/* The process that traces one of the threads of @pid: 0 for none, or a negative errno. */
pid_t threads_tracer(pid_t pid);

#endif
