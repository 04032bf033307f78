/* SPDX-License-Identifier: BSD-2-Clause */
/* code_text.c - words for the format's numbers. */
#include "format/upf.h"

#define LOOK_UP(table, n) ((n) < sizeof(table) / sizeof(*(table)) && (table)[n] ? (table)[n] : "?")

const char *upf_arch_text(unsigned arch)
{
	static const char *const text[] = {"unknown", "x86-64", "x86-32", "arm64", "arm32", "x86-16"};

	return LOOK_UP(text, arch);
}

/* Where the stack and frame pointers are among @nregs registers; NULL: there is no such instruction set. */
static const int8_t *pointers(uint32_t nregs)
{
	static const int8_t at[UPF_REGS_MAX + 1][2] = {[UPF_REGS] = {7, 6},
	                                               [UPF_REGS_I386] = {4, 5},
	                                               [UPF_REGS_ARM64] = {31, 29},
	                                               [UPF_REGS_ARM32] = {13, 11}};

	return nregs <= UPF_REGS_MAX && at[nregs][0] ? at[nregs] : NULL;
}

int upf_regs_sp(uint32_t nregs)
{
	const int8_t *at = pointers(nregs);

	return at ? at[0] : -1;
}

int upf_regs_fp(uint32_t nregs)
{
	const int8_t *at = pointers(nregs);

	return at ? at[1] : -1;
}

const char *upf_kind_text(unsigned kind)
{
	static const char *const text[] = {"unknown", "PV", "PVH", "HVM", "ARM", "KVM"};

	return LOOK_UP(text, kind);
}

const char *upf_state_text(unsigned state)
{
	static const char *const text[] = {"running", "runnable", "blocked", "offline", "in the VMM"};

	return LOOK_UP(text, state);
}

const char *upf_exit_text(unsigned exit)
{
	static const char *const text[] = {
		[UPF_EXIT_NONE] = "",
		[UPF_EXIT_OTHER] = "other exit",
		[UPF_EXIT_INTERRUPT] = "interrupt",
		[UPF_EXIT_WINDOW] = "interrupt window",
		[UPF_EXIT_PORT] = "port I/O",
		[UPF_EXIT_MEMORY] = "page fault or MMIO",
		[UPF_EXIT_MSR] = "MSR",
		[UPF_EXIT_REGISTER] = "control register",
		[UPF_EXIT_EXCEPTION] = "exception",
		[UPF_EXIT_CPUID] = "CPUID",
		[UPF_EXIT_HALT] = "halt",
		[UPF_EXIT_PAUSE] = "pause",
		[UPF_EXIT_HYPERCALL] = "hypercall",
	};

	return LOOK_UP(text, exit);
}

const char *upf_end_text(unsigned end)
{
	static const char *const text[] = {
		[UPF_END_ROOT] = "whole",
		[UPF_END_DEPTH] = "depth limit",
		[UPF_END_COLD] = "page not mapped in time",
		[UPF_END_UNMAPPED] = "no page there",
		[UPF_END_MISALIGNED] = "frame pointer misaligned",
		[UPF_END_NONCANONICAL] = "frame pointer not an address",
		[UPF_END_DESCENDING] = "frame pointer not above the last",
		[UPF_END_UNREADABLE] = "page refused by the hypervisor",
		[UPF_END_NONE] = "no registers",
		[UPF_END_MODE] = "16-bit code",
	};

	return LOOK_UP(text, end);
}

const char *upf_lost_text(unsigned reason)
{
	static const char *const text[] = {
		[UPF_LOST_WRITER] = "output too slow",
		[UPF_LOST_PAUSED] = "domain paused by another",
		[UPF_LOST_VOID] = "our pause was undone",
		[UPF_LOST_CALL] = "hypervisor refused",
	};

	return LOOK_UP(text, reason);
}

const char *upf_event_text(unsigned code)
{
	static const char *const text[] = {
		[UPF_EVENT_START] = "start",       [UPF_EVENT_DYING] = "dying",
		[UPF_EVENT_SHUTDOWN] = "shutdown", [UPF_EVENT_REBOOT] = "reboot",
		[UPF_EVENT_PAUSED] = "paused",     [UPF_EVENT_RESUMED] = "resumed",
		[UPF_EVENT_RATE] = "rate",         [UPF_EVENT_STOPS] = "sampled by stops from now on",
	};

	return LOOK_UP(text, code);
}

const char *upf_reason_text(unsigned reason)
{
	static const char *const text[] = {
		[UPF_REASON_UNKNOWN] = "unknown: the trace has no end",
		[UPF_REASON_DURATION] = "duration reached",
		[UPF_REASON_SAMPLES] = "number of samples reached",
		[UPF_REASON_SIGNAL] = "stopped by a signal",
		[UPF_REASON_DOMAIN] = "the domain ended",
		[UPF_REASON_OUTPUT] = "the output failed",
		[UPF_REASON_ERROR] = "an error",
		[UPF_REASON_SWITCH] = "it went on in another trace",
		[UPF_REASON_DUMP] = "written while the recording went on",
	};

	return LOOK_UP(text, reason);
}

const char *upf_fault_text(enum upf_fault fault)
{
	static const char *const text[] = {
		[UPF_OK] = "sound",
		[UPF_FAULT_EMPTY] = "it is empty",
		[UPF_FAULT_MAGIC] = "it is not a uniprof trace",
		[UPF_FAULT_MAJOR] = "it has a later version of the format",
		[UPF_FAULT_FEATURE] = "it needs a feature this program does not know",
		[UPF_FAULT_HEADER] = "its header is damaged",
		[UPF_FAULT_IO] = "reading failed",
		[UPF_FAULT_MEMORY] = "out of memory",
		[UPF_FAULT_CUT] = "cut off",
		[UPF_FAULT_CHECKSUM] = "checksum does not fit",
		[UPF_FAULT_SIZE] = "impossible size",
		[UPF_FAULT_COMPRESSION] = "does not decompress",
		[UPF_FAULT_RECORD] = "a record breaks the format",
		[UPF_FAULT_FOREIGN] = "belongs to another trace",
		[UPF_FAULT_ORDER] = "repeated or out of order",
		[UPF_FAULT_GAP] = "bytes that are no block",
	};

	return LOOK_UP(text, (unsigned)fault);
}
