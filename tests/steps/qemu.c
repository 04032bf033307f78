/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qemu.c - programs of AArch64 and ARM, and of i386 where the kernel does not run them, stepped by qemu's user-mode
 * emulation over gdb's remote protocol.
 */
#include "guest/arm.h"
#include "guest/x86.h"
#include "tests/steps/process.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BASE 0x100000000u /* where the emulator puts the program's address 0 */
#define BASE_TEXT "0x100000000"
#define PACKET 4096

/* --- gdb's remote protocol --------------------------------------------------------------------------------------- */

static void send_command(struct process *p, const char *command)
{
	char packet[64];
	uint8_t sum = 0;
	int n;

	for (const char *c = command; *c; c++)
		sum = (uint8_t)(sum + *c);
	n = snprintf(packet, sizeof(packet), "+$%s#%02x", command, sum);
	if (send(p->debugger, packet, (size_t)n, MSG_NOSIGNAL) != n)
		fail("debugger");
}

/* The reply's contents; false: the emulator has gone. */
static bool get_reply(struct process *p, char reply[PACKET])
{
	char *begin, *end;
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(p->debugger, reply + n, PACKET - 1 - n, 0);

		if (got <= 0)
			return false;
		n += (size_t)got;
		reply[n] = '\0';
		begin = strchr(reply, '$');
		end = begin ? strchr(begin, '#') : NULL;
		if (end && end + 2 < reply + n)
			break;
	}
	*end = '\0';
	memmove(reply, begin + 1, (size_t)(end - begin));
	return true;
}

static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || (size_t)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path) >= sizeof(to.sun_path))
		fail(path);
	/* The emulator needs a moment to listen. */
	for (unsigned i = 0; i < 3000; i++) {
		if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
			return fd;
		usleep(10000);
	}
	fail(path);
}

/* --- the program ------------------------------------------------------------------------------------------------- */

static void start(struct process *p, const char *path, const char *prefix)
{
	char listen_at[4096], reply[PACKET];

	snprintf(listen_at, sizeof(listen_at), "%s.gdb", prefix);
	unlink(listen_at);
	p->base = BASE;
	p->pid = fork();
	if (p->pid == 0) {
		execlp(p->machine->emulator, p->machine->emulator, "-B", BASE_TEXT, "-g", listen_at, path, NULL);
		_exit(127);
	}
	if (p->pid < 0)
		fail(path);
	p->debugger = connect_to(listen_at);
	unlink(listen_at);
	send_command(p, "?");
	if (!get_reply(p, reply))
		fail(path);
}

static bool step(struct process *p)
{
	char reply[PACKET];

	send_command(p, "s");
	if (get_reply(p, reply) && *reply == 'T')
		return true;
	send(p->debugger, "+", 1, MSG_NOSIGNAL); /* without which it does not end */
	return process_wait(p);
}

static uint8_t byte_at(const char *hex)
{
	const char text[3] = {hex[0], hex[0] ? hex[1] : '\0', '\0'};

	return (uint8_t)strtoul(text, NULL, 16);
}

/* The register number @r, all being of one size. */
static uint64_t register_at(const char *hex, unsigned r, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)byte_at(hex + 2 * (r * size + i)) << 8 * i;
	return v;
}

/* x0 to x30, sp, pc. */
static void registers_arm64(struct process *p, struct step_registers *to)
{
	char hex[PACKET];

	send_command(p, "g");
	if (!get_reply(p, hex) || strlen(hex) < (size_t)33 * 16)
		fail("registers");
	for (unsigned i = 0; i < UPF_REGS_ARM64; i++)
		to->all[i] = register_at(hex, i, 8);
	to->regs =
		(struct vcpu_regs){.ip = register_at(hex, 32, 8), .sp = to->all[31], .fp = to->all[29], .valid = true};
	to->link = to->all[30];
}

#define CPSR_AT 164 /* behind r0 to r15 and the registers of a floating-point unit of old, in bytes */
#define CPSR_THUMB 0x20u

/* r0 to r15. */
static void registers_arm(struct process *p, struct step_registers *to)
{
	char hex[PACKET];

	send_command(p, "g");
	if (!get_reply(p, hex) || strlen(hex) < 2 * (CPSR_AT + 4))
		fail("registers");
	for (unsigned i = 0; i < UPF_REGS_ARM32; i++)
		to->all[i] = register_at(hex, i, 4);
	to->thumb = register_at(hex, CPSR_AT / 4, 4) & CPSR_THUMB;
	to->regs = (struct vcpu_regs){
		.ip = register_at(hex, 15, 4), .sp = to->all[13], .fp = to->all[to->thumb ? 7 : 11], .valid = true};
	for (unsigned i = 0; i < UPF_REGS_ARM32; i++)
		to->regs.all[i] = to->all[i];
	to->link = to->all[14] & ~(uint64_t)1;
}

/* eax, ecx, edx, ebx, esp, ebp, esi, edi, eip. */
static void registers_i386(struct process *p, struct step_registers *to)
{
	char hex[PACKET];

	send_command(p, "g");
	if (!get_reply(p, hex) || strlen(hex) < (size_t)2 * 4 * (UPF_REGS_I386 + 1))
		fail("registers");
	*to = (struct step_registers){.regs.valid = true};
	for (unsigned i = 0; i < UPF_REGS_I386; i++)
		to->all[i] = register_at(hex, i, 4);
	to->regs.sp = to->all[4];
	to->regs.fp = to->all[5];
	to->regs.ip = register_at(hex, UPF_REGS_I386, 4);
}

const struct machine machine_i386_emulated = {
	.elf = EM_386,
	.upf = UPF_ARCH_X86_32,
	.nregs = UPF_REGS_I386,
	.arch = {.word = 4, .return_offset = 4, .ends_call = x86_ends_call},
	.emulator = "qemu-i386",
	.start = start,
	.registers = registers_i386,
	.step = step,
	.kind = kind_i386,
};

static uint32_t word_of(const uint8_t *code)
{
	return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* bl, blr; ret. */
static enum kind kind_arm64(const uint8_t code[15])
{
	uint32_t word = word_of(code);

	if ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000)
		return KIND_CALL;
	return (word & 0xfffffc1f) == 0xd65f0000 ? KIND_RETURN : KIND_OTHER;
}

const struct machine machine_arm64 = {
	.elf = EM_AARCH64,
	.upf = UPF_ARCH_ARM64,
	.nregs = UPF_REGS_ARM64,
	.arch = {.word = 8, .return_offset = 8, .ends_call = arm64_ends_call, .code_address = arm64_code_address},
	.emulator = "qemu-aarch64",
	.start = start,
	.registers = registers_arm64,
	.step = step,
	.kind = kind_arm64,
};

/* bl, blx; bx lr, pop with pc, ldr pc, [sp], #4 and ldm sp! with pc. */
static enum kind kind_t32(const uint8_t code[15])
{
	uint32_t word = word_of(code);
	uint16_t first = (uint16_t)word, second = (uint16_t)(word >> 16);

	if (((first & 0xf800) == 0xf000 && (second & 0xc000) == 0xc000) || (first & 0xff87) == 0x4780)
		return KIND_CALL;
	return first == 0x4770 || (first & 0xff00) == 0xbd00 || word == 0xfb04f85d ||
	                       (first == 0xe8bd && (second & 0x8000))
	               ? KIND_RETURN
	               : KIND_OTHER;
}

/* bl, blx; bx lr, mov pc, lr, ldr pc, [sp], #4 and ldm with pc. */
static enum kind kind_a32(const uint8_t code[15])
{
	uint32_t word = word_of(code) & 0x0fffffff;

	if ((word & 0x0f000000) == 0x0b000000 || (word_of(code) & 0xfe000000) == 0xfa000000 ||
	    (word & 0x0ffffff0) == 0x012fff30)
		return KIND_CALL;
	return word == 0x012fff1e || word == 0x01a0f00e || word == 0x049df004 || (word & 0x0e108000) == 0x08108000
	               ? KIND_RETURN
	               : KIND_OTHER;
}

const struct machine machine_arm = {
	.elf = EM_ARM,
	.upf = UPF_ARCH_ARM32,
	.nregs = UPF_REGS_ARM32,
	.arch = {.word = 4,
                 .return_offset = 4,
                 .frame_pointers = ARM32_FRAME_POINTERS,
                 .frame = arm32_frame,
                 .ends_call = arm32_ends_call,
                 .code_address = arm32_code_address},
	.emulator = "qemu-arm",
	.start = start,
	.registers = registers_arm,
	.step = step,
	.kind = kind_a32,
	.kind_thumb = kind_t32,
};
