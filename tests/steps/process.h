/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - a program that is run one instruction at a time: by the kernel (ptrace.c) if this machine runs its
 * instruction set, else by qemu's user-mode emulation, driven as a debugger does (qemu.c).
 */
#ifndef TESTS_STEPS_PROCESS_H
#define TESTS_STEPS_PROCESS_H

#include "format/upf.h"
#include "guest/arch.h"
#include "guest/hypervisor.h"

#include <sys/types.h>

enum kind { KIND_OTHER, KIND_CALL, KIND_RETURN };

struct process;

struct step_registers {
	struct vcpu_regs regs; /* of these, those that a walk begins with */
	uint64_t all[UPF_REGS_MAX];
	uint64_t link; /* 0: there is none */
	bool thumb;    /* ARM: the instruction is T32's */
};

/* What the stepper must know of an instruction set. */
struct machine {
	uint16_t elf; /* e_machine */
	uint8_t upf;  /* enum upf_arch */
	struct arch arch;
	uint8_t nregs;
	const char *emulator; /* NULL: the kernel runs it */
	/*
	 * Starts the program at @path, stopped before its first instruction; @prefix is for names of files. Sets
	 * p->machine to an emulator's if the kernel does not run it.
	 */
	void (*start)(struct process *p, const char *path, const char *prefix);
	void (*registers)(struct process *p, struct step_registers *to);
	/* One instruction. False: the program has ended with status 0. */
	bool (*step)(struct process *p);
	/* What the instruction is that begins with these bytes. */
	enum kind (*kind)(const uint8_t code[15]);
	enum kind (*kind_thumb)(const uint8_t code[15]); /* the same of T32's */
};

struct process {
	const struct machine *machine;
	pid_t pid;
	uint64_t base; /* where the program's address 0 is in the process */
	int debugger;  /* socket to the emulator */
};

extern const struct machine machine_x86_64, machine_i386, machine_i386_emulated, machine_arm64, machine_arm;

/* A machine's kind, of i386. */
enum kind kind_i386(const uint8_t code[15]);

_Noreturn void fail(const char *what);
/* Waits until the process stops (true) or has ended with status 0 (false); fails if neither. */
bool process_wait(const struct process *p);

#endif
