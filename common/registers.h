/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.h - a vCPU's registers beside those that stacks are unwound by (control, segment and system registers), and
 * the code at its instruction pointer; their numbers, as they are in traces (FORMAT.md, "All registers"), and names.
 */
#ifndef COMMON_REGISTERS_H
#define COMMON_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

/* DWARF numbers where there are any: x86-64's for every mode of x86; no two registers have the same number. */
enum register_id {
	REGISTER_PC_32 = 15, /* ARM */
	REGISTER_RIP = 16,   /* offset in the code segment */
	REGISTER_PC = 32,    /* AArch64 */
	REGISTER_ELR = 33,
	REGISTER_RFLAGS = 49,
	REGISTER_ES = 50, /* selectors */
	REGISTER_CS,
	REGISTER_SS,
	REGISTER_DS,
	REGISTER_FS,
	REGISTER_GS,
	REGISTER_FS_BASE = 58,
	REGISTER_GS_BASE,
	REGISTER_TR = 62,
	REGISTER_LDTR,
	REGISTER_SPSR_FIQ = 129, /* ARM's, of each processor mode */
	REGISTER_SPSR_IRQ,
	REGISTER_SPSR_ABT,
	REGISTER_SPSR_UND,
	REGISTER_SPSR_SVC,
	REGISTER_R8_USR = 144, /* to r14 */
	REGISTER_R8_FIQ = 151,
	REGISTER_R13_IRQ = 158, /* and r14 */
	REGISTER_R13_ABT = 160,
	REGISTER_R13_UND = 162,
	REGISTER_R13_SVC = 164,

	/* Our own, of x86. */
	REGISTER_CR0 = 4096, /* to cr8 */
	REGISTER_DR0 = 4112, /* to dr7 */
	REGISTER_EFER = 4128,
	REGISTER_STAR,
	REGISTER_LSTAR,
	REGISTER_CSTAR,
	REGISTER_SYSCALL_MASK,
	REGISTER_KERNEL_GS_BASE, /* what swapgs would make the base of gs */
	REGISTER_SYSENTER_CS,
	REGISTER_SYSENTER_ESP,
	REGISTER_SYSENTER_EIP,
	REGISTER_APIC_BASE,
	REGISTER_ES_BASE = 4144, /* these three: of es, cs, ss, ds, fs, gs, ldtr, tr, gdtr, idtr */
	REGISTER_ES_LIMIT = 4160,
	REGISTER_ES_ATTRIBUTES = 4176, /* of the descriptor: type, S, DPL, P, AVL, L, D, G from bit 0 on */
	/* Of PV guests of Xen: */
	REGISTER_USER_CR3 = 4192, /* the page tables of user mode */
	REGISTER_KERNEL_SS,       /* the stack that user mode is left to */
	REGISTER_KERNEL_SP,
	REGISTER_EVENT_CALLBACK,
	REGISTER_FAILSAFE_CALLBACK,
	REGISTER_SYSCALL_CALLBACK,

	/* Our own, of ARM. */
	REGISTER_CPSR = 6144,
	REGISTER_SPSR_EL1,
	REGISTER_SP_EL0,
	REGISTER_SP_EL1,
	REGISTER_SCTLR,
	REGISTER_TCR,
	REGISTER_TTBR0,
	REGISTER_TTBR1,
};

/* Segments in the order of their numbers above. */
enum segment_id {
	SEGMENT_ES,
	SEGMENT_CS,
	SEGMENT_SS,
	SEGMENT_DS,
	SEGMENT_FS,
	SEGMENT_GS,
	SEGMENT_LDTR,
	SEGMENT_TR,
	SEGMENT_GDTR,
	SEGMENT_IDTR,
	SEGMENTS
};

#define REGISTERS_MAX 96
#define REGISTERS_ID_MAX UINT16_MAX
#define REGISTERS_CODE 48 /* bytes */

struct register_set {
	uint32_t n;
	struct {
		uint32_t id; /* enum register_id, or one of a later version */
		uint64_t value;
	} of[REGISTERS_MAX];
	/* Memory around the instruction pointer: @code_size bytes, the first @code_before of them before it. */
	uint8_t code_before, code_size;
	uint8_t code[REGISTERS_CODE];
};

/* These three are part of libupf (format/upf.h), as the structure is. */
#pragma GCC visibility push(default)
/* Adds a register; what is more than REGISTERS_MAX is dropped. */
void upf_registers_add(struct register_set *set, uint32_t id, uint64_t value);
/* NULL: it is not there. */
const uint64_t *upf_registers_find(const struct register_set *set, uint32_t id);
/* As processors' manuals call it; NULL: not known. */
const char *upf_register_name(uint32_t id);
#pragma GCC visibility pop

/* Where a hypervisor's structure has a register. */
struct register_field {
	uint16_t id, offset;
	uint8_t size; /* bytes: 1, 2, 4 or 8, little-endian */
};
#define REGISTER_FIELD(type, member, register) \
	{ \
		.id = (register), .offset = offsetof(type, member), .size = sizeof(((type *)0)->member) \
	}
void registers_read(struct register_set *set, const struct register_field *fields, size_t n, const void *from);

#endif
