/* SPDX-License-Identifier: BSD-2-Clause */
/* disassembly.h - machine code as text, as objdump has it. */
#ifndef REPORT_BINARY_DISASSEMBLY_H
#define REPORT_BINARY_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembly;

struct instruction {
	char text[224]; /* safe on a terminal */
	uint8_t size;
	bool has_target; /* it calls @target or jumps there */
	uint64_t target;
};

/* For code of ELF's @machine. NULL: errno; ENOTSUP: not an architecture known here. */
struct disassembly *disassembly_new(uint16_t machine);
void disassembly_free(struct disassembly *d); /* NULL is fine */
/* The instruction at @address, whose bytes are the first of @code, of which there are @left, 1 or more. Bytes that are
 * none come one at a time. */
struct instruction disassembly_at(struct disassembly *d, const uint8_t *code, size_t left, uint64_t address);

#endif
