/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a guest cannot be recorded, and what a user can do about it. */
#include "kvmif/backend/kvm_guest.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "kvmif/process/capabilities.h"

/* Who may not, and why: root lacks something as well in a container. */
static void explain_refusal(const char *failed, char *why, size_t size)
{
	char missing[80];

	if (machine_tracing_forbidden())
		snprintf(why, size, "this host forbids ptrace to everybody: kernel.yama.ptrace_scope is 3");
	else if (capabilities_missing(1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH, missing, sizeof(missing)))
		snprintf(why, size,
		         "not permitted: %s: run as root, or with CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_BPF and "
		         "CAP_PERFMON; a container must be given them",
		         missing);
	else if (capabilities_are_of_a_namespace())
		snprintf(why, size,
		         "not permitted: root of a user namespace has no rights on processes outside it: "
		         "run on the host, or in a container without one");
	else
		snprintf(
			why, size,
			"%s: not permitted, though no capability is missing: a security module (SELinux, AppArmor) or "
			"a container's seccomp filter forbids it",
			failed);
}

static void explain_absence(const char *operand, char *why, size_t size)
{
	const pid_t pid = machine_without_kvm(operand);
	char command[32];

	why[0] = '\0';
	if (pid && machine_command(pid, command, sizeof(command)) == 0)
		snprintf(why, size, "process %d (%s) runs no virtual machine on KVM%s", (int)pid, command,
		         strncmp(command, "qemu", 4) == 0 ? ": QEMU needs -accel kvm" : "");
}

/* What a user can do about it. */
bool kvm_explain(struct hypervisor *x, const char *operand, const struct guest_info *info, int error, char *why,
                 size_t size)
{
	struct machine m = {0};

	if (operand)
		explain_absence(operand, why, size);
	else if (error == EBUSY)
		snprintf(why, size, "another program traces it, such as gdb or strace: end that first");
	else if (error == EALREADY)
		snprintf(why, size, "its VMM itself uses the registers that KVM shares with it (KVM_CAP_SYNC_REGS)");
	else if (error == EINPROGRESS)
		snprintf(why, size, "its VMM changes its memory all the time: try again");
	else if (error == EBADFD)
		snprintf(why, size, "its VMM has exchanged a vCPU's descriptor for another file");
	else if (error == ENOTSUP && machine_find((pid_t)info->domid, &m) == 0 && m.machines > 1)
		snprintf(why, size, "its process runs several virtual machines");
	else if (error == ENOTSUP && m.has_more)
		snprintf(why, size, "it has vCPUs with numbers from %u on", MACHINE_VCPUS_MAX);
	else if (error == ENOTSUP)
		snprintf(why, size, "its memory or registers are protected from the host (SEV, TDX)");
	else if (error == ENOSYS)
		snprintf(why, size,
		         "cannot find its memory: %s, and its process's mappings do not show it; "
		         "if it is paused, let it run",
		         x->why);
	else if (error == ENOEXEC && VCPU_STATE_IS_PEEKED && !x->only_live)
		snprintf(why, size, "on ARM64, registers are read by a BPF program: %s",
		         x->why[0] ? x->why : x->why_not_live);
	else if (error == ENOEXEC)
		snprintf(why, size, "it cannot be sampled without a stop%s: %s",
		         x->only_live ? " (--sampler live, --host)" : "", x->why_not_live);
	else if (error == EPERM || error == EACCES)
		explain_refusal(error == x->tried.error ? x->tried.what : "ptrace or pidfd_getfd", why, size);
	else
		tried_explain(&x->tried, error, why, size);
	return true;
}
