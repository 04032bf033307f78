/* SPDX-License-Identifier: BSD-2-Clause */
/* process.h - virtual machine monitors among the processes: what /proc tells of them. */
#ifndef KVMIF_PROCESS_PROCESS_H
#define KVMIF_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/hypervisor.h"

#define MACHINE_VCPUS_MAX 512u

/* A process that runs a virtual machine. */
struct machine {
	pid_t pid;
	uint64_t start;             /* ticks after the host's boot: with the pid, its identity */
	uint32_t vcpus;             /* highest number + 1, of those that can be plugged in, too */
	int fds[MACHINE_VCPUS_MAX]; /* of the vCPUs in the process; -1: there is no such vCPU */
	bool has_more;              /* vCPUs with higher numbers than there is room for */
	bool encrypts;              /* it has the device open by which a guest's memory is encrypted (SEV) */
	bool may_be_protected;      /* it has descriptors that protected guests need, and others may have */
	int vm;                     /* its first descriptor of a virtual machine */
	unsigned machines;          /* 1: of no other one */
};

/* Is /proc of this process's PID namespace? Its numbers are of other processes otherwise. */
bool machine_proc_is_ours(void);
/* 0; -ESRCH: there is no such process, or it runs no virtual machine; -EACCES: it may not be looked into. */
int machine_find(pid_t pid, struct machine *m);
/*
 * Calls @each for every one, by ascending pid; it returns 0 or a negative errno, which ends it. @returned, if it is not
 * NULL: only for those of that name that, where that is only their monitor's command, were started since. 0 or a
 * negative errno; -EACCES: there was none among the processes that may be looked into.
 */
int machine_each(const struct domain_identity *returned, int (*each)(void *ctx, const struct machine *m), void *ctx);
/* The process of this number, or the QEMU of this name, that runs no virtual machine of KVM; 0: there is none. */
pid_t machine_without_kvm(const char *text);
/*
 * How many numbers vCPUs can have that are plugged in later, by the command line of QEMU (-smp) or cloud-hypervisor
 * (--cpus); 0: it does not say.
 */
uint32_t machine_vcpus_most(pid_t pid);
/* The -name or --name of QEMU and crosvm, Firecracker's --id, else the command. 0 or a negative errno. */
int machine_name(pid_t pid, char *name, size_t size);
/*
 * The path of the file of -kernel or --kernel, as QEMU, cloud-hypervisor and kvmtool have it. -ENOENT: none is given,
 * or the process sees another file of that name than we do.
 */
int machine_kernel(pid_t pid, char *path, size_t size);
/* The monitor's command, such as "qemu-system-x86". */
int machine_command(pid_t pid, char *name, size_t size);
int machine_thread_name(pid_t pid, pid_t tid, char *name, size_t size);
/* Does the command line ask for a guest whose registers and memory the host may not read? */
bool machine_asks_protection(pid_t pid);
/* The process that traces thread @tid of @pid: 0 for none, or a negative errno. */
pid_t machine_tracer(pid_t pid, pid_t tid);
/* Does a seccomp filter say which calls thread @tid may make? True if that cannot be found out. */
bool machine_is_filtered(pid_t pid, pid_t tid);
/* Calls @each for each thread of the process, until it returns other than 0. That, or a negative errno. */
int machine_each_thread(pid_t pid, int (*each)(void *ctx, pid_t tid), void *ctx);
/* Is a thread of it stopped, by a tracer or by a signal? */
bool machine_is_stopped(pid_t pid);
/* Is it stopped as a whole, by SIGSTOP or Ctrl-Z? */
bool machine_is_suspended(pid_t pid);
/* Does it dump core? It will end then. */
bool machine_is_dumping(pid_t pid);
/* Yama's scope 3: not even root may trace. */
bool machine_tracing_forbidden(void);

/*
 * Field @number, 3 or more, of the text of a file "stat" (proc(5)); NULL: it has none. The second field, in brackets,
 * may hold anything.
 */
const char *machine_stat_field(const char *stat, int number);

/* CPU time of all threads of process @pid, in nanoseconds, to a tick of the kernel; 0: not known. */
uint64_t machine_cpu_ns(pid_t pid);

#endif
