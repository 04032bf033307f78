/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/confine.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/privileges.h"

#define CLONE_THREAD 0x00010000 /* linux/sched.h, which the C library's sched.h does not go with */

/* --- Landlock ---------------------------------------------------------------------------------------------------- */

/* By Landlock's version: the running kernel may be ahead of the headers. */
#define ACCESS_FS_FIRST ((1ull << 13) - 1 - LANDLOCK_ACCESS_FS_READ_FILE - LANDLOCK_ACCESS_FS_READ_DIR)
#define ACCESS_FS_REFER (1ull << 13)
#define ACCESS_FS_TRUNCATE (1ull << 14)
#define ACCESS_FS_IOCTL_DEV (1ull << 15)

/* What is opened after this is for reading only. Best effort. */
static void refuse_changes(void)
{
	struct landlock_ruleset_attr attr = {.handled_access_fs = ACCESS_FS_FIRST};
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, (uint32_t)LANDLOCK_CREATE_RULESET_VERSION);
	int rules;

	attr.handled_access_fs |= version >= 2 ? ACCESS_FS_REFER : 0;
	attr.handled_access_fs |= version >= 3 ? ACCESS_FS_TRUNCATE : 0;
	attr.handled_access_fs |= version >= 5 ? ACCESS_FS_IOCTL_DEV : 0;
	rules = version < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), (uint32_t)0);
	if (rules < 0)
		return;
	syscall(SYS_landlock_restrict_self, rules, (uint32_t)0);
	close(rules);
}

/* --- seccomp ----------------------------------------------------------------------------------------------------- */

/* By name, as an architecture may lack some; what is not here fails with EPERM. */
static const char harmless[] =
	/* files that are open, and questions about others */
	"read readv pread64 preadv write writev lseek _llseek close fstat fstat64 fstatat64 newfstatat statx stat stat64 "
	"lstat lstat64 fstatfs fstatfs64 access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd dup "
	"dup2 dup3 fcntl fcntl64 fadvise64 fadvise64_64 arm_fadvise64_64 pipe2 memfd_create ftruncate ftruncate64 umask "
	/* waiting */
	"poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 futex futex_time64 nanosleep clock_nanosleep "
	"clock_nanosleep_time64 restart_syscall "
	/* memory */
	"munmap mremap madvise brk membarrier "
	/* time, chance and itself */
	"clock_gettime clock_gettime64 clock_getres gettimeofday time getrandom uname sysinfo getpid getppid gettid getpgrp "
	"getpgid getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 getrusage getrlimit ugetrlimit "
	"sched_getaffinity sched_yield capget capset prctl "
	/* threads, signals and children of its own */
	"set_robust_list rseq set_tid_address rt_sigaction rt_sigprocmask rt_sigreturn sigreturn sigaltstack wait4 waitid "
	"exit exit_group";

static int allow(scmp_filter_ctx filter, const char *name, unsigned n, const struct scmp_arg_cmp *args)
{
	const int number = seccomp_syscall_resolve_name(name);

	return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, n, args);
}

static int allow_one(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp arg)
{
	return allow(filter, name, 1, &arg);
}

/* What asks a terminal and sets its modes; TIOCSTI is not among it. */
static int allow_terminal(scmp_filter_ctx filter)
{
	static const unsigned requests[] = {TCGETS,   TCSETS,   TCSETSW, TCSETSF,    TCGETS2,   TCSETS2,
	                                    TCSETSW2, TCSETSF2, TCFLSH,  TIOCGWINSZ, TIOCGPGRP, FIONREAD};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(requests) / sizeof(*requests); i++)
		rc = allow_one(filter, "ioctl", SCMP_A1(SCMP_CMP_EQ, requests[i]));
	return rc;
}

static int allow_reading(scmp_filter_ctx filter)
{
	const uint64_t changes = O_ACCMODE | O_CREAT | O_TRUNC | __O_TMPFILE;
	int rc = allow_one(filter, "open", SCMP_A1(SCMP_CMP_MASKED_EQ, changes, O_RDONLY));

	return rc == 0 ? allow_one(filter, "openat", SCMP_A2(SCMP_CMP_MASKED_EQ, changes, O_RDONLY)) : rc;
}

static int allow_memory(scmp_filter_ctx filter)
{
	static const char *const calls[] = {"mmap", "mmap2", "mprotect"};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(calls) / sizeof(*calls); i++)
		rc = allow_one(filter, calls[i], SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return rc;
}

/* Threads, no processes; the C library falls back from clone3(), whose flags lie in memory. Signals to itself. */
static int allow_itself(scmp_filter_ctx filter)
{
	const pid_t self = getpid();
	int rc = allow_one(filter, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));

	if (rc == 0 && seccomp_syscall_resolve_name("clone3") != __NR_SCMP_ERROR)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (rc == 0)
		rc = allow_one(filter, "kill", SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self));
	if (rc == 0)
		rc = allow_one(filter, "tgkill", SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self));
	/* The limits that it has, by a pointer to none that it wants. */
	return rc == 0 ? allow_one(filter, "prlimit64", SCMP_A2(SCMP_CMP_EQ, 0)) : rc;
}

static int allow_harmless(scmp_filter_ctx filter)
{
	char name[32];
	int rc = 0, len;

	for (const char *at = harmless; rc == 0 && sscanf(at, " %31s%n", name, &len) == 1; at += len)
		rc = allow(filter, name, 0, NULL);
	return rc;
}

/* 0, or a negative errno and nothing has changed. */
static int refuse_calls(void)
{
	static int (*const parts[])(scmp_filter_ctx filter) = {allow_terminal, allow_reading, allow_memory,
	                                                       allow_itself, allow_harmless};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(*parts); i++)
		rc = parts[i](filter);
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}

/* ----------------------------------------------------------------------------------------------------------------- */

void confine(bool network)
{
	const uint64_t to_open_files = 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_DAC_OVERRIDE;

	prctl(PR_SET_DUMPABLE, 0ul); /* others of the same account must not have its terminal and files */
	privileges_drop(network ? 0 : to_open_files);
	if (network)
		return;
	refuse_changes();
	if (refuse_calls() != 0)
		privileges_drop(0);
}

void confine_opened(void)
{
	privileges_drop(0);
}
