/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptrace.c - programs of x86-64 and i386, stepped by the kernel; and how i386 is stepped where the kernel does not run
 * it.
 */
#include "guest/x86.h"
#include "tests/steps/process.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_RUN 126 /* the child's status: the kernel does not run such programs */

/* False: the kernel does not run such programs. */
static bool try_start(struct process *p, const char *path)
{
	int status;

	p->pid = fork();
	if (p->pid == 0) {
		char *const nothing[] = {NULL};

		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execve(path, nothing, nothing);
		_exit(errno == ENOEXEC ? NOT_RUN : 127);
	}
	if (p->pid < 0 || waitpid(p->pid, &status, 0) != p->pid)
		fail(path);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN)
		return false;
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		fail(path);
	return true;
}

static void start(struct process *p, const char *path, const char *prefix)
{
	(void)prefix;
	if (!try_start(p, path))
		fail(path);
}

/* Not every kernel for x86-64 runs i386. */
static void start_i386(struct process *p, const char *path, const char *prefix)
{
	if (try_start(p, path))
		return;
	p->machine = &machine_i386_emulated;
	p->machine->start(p, path, prefix);
}

static bool step(struct process *p)
{
	if (ptrace(PTRACE_SINGLESTEP, p->pid, NULL, NULL) != 0)
		fail("step");
	return process_wait(p);
}

static void registers(struct process *p, struct step_registers *to)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, p->pid, NULL, &r) != 0)
		fail("registers");
	*to = (struct step_registers){.regs = {.ip = r.rip, .sp = r.rsp, .fp = r.rbp, .valid = true}};
	if (p->machine->nregs == UPF_REGS)
		memcpy(to->all,
		       (const uint64_t[UPF_REGS]){r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9,
		                                  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15},
		       UPF_REGS * sizeof(uint64_t));
	else
		memcpy(to->all,
		       (const uint64_t[UPF_REGS_I386]){r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi},
		       UPF_REGS_I386 * sizeof(uint64_t));
}

/* The call or return behind the prefixes: segment, operand and address size, notrack, bnd, rep, REX. */
static enum kind kind_of(const uint8_t *code, bool is_long)
{
	while (*code == 0x66 || *code == 0x67 || *code == 0x3e || *code == 0xf2 || *code == 0xf3 ||
	       (is_long && (*code & 0xf0) == 0x40))
		code++;
	if (code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2))
		return KIND_CALL;
	return code[0] == 0xc3 || code[0] == 0xc2 ? KIND_RETURN : KIND_OTHER;
}

static enum kind kind_long(const uint8_t code[15])
{
	return kind_of(code, true);
}

enum kind kind_i386(const uint8_t code[15])
{
	return kind_of(code, false);
}

const struct machine machine_x86_64 = {
	.elf = EM_X86_64,
	.upf = UPF_ARCH_X86_64,
	.nregs = UPF_REGS,
	.arch = {.word = 8, .return_offset = 8, .ends_call = x86_ends_call},
	.start = start,
	.registers = registers,
	.step = step,
	.kind = kind_long,
};

const struct machine machine_i386 = {
	.elf = EM_386,
	.upf = UPF_ARCH_X86_32,
	.nregs = UPF_REGS_I386,
	.arch = {.word = 4, .return_offset = 4, .ends_call = x86_ends_call},
	.start = start_i386,
	.registers = registers,
	.step = step,
	.kind = kind_i386,
};
