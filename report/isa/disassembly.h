/* SPDX-License-Identifier: BSD-2-Clause */
/* disassembly.h - machine code as text, as objdump writes it. */
#ifndef REPORT_ISA_DISASSEMBLY_H
#define REPORT_ISA_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembly;
struct isa;

struct instruction {
	char text[224]; /* safe on a terminal */
	uint8_t size;
	bool has_target; /* it calls @target or jumps there */
	uint64_t target;
};

/* NULL: errno; ENOTSUP: @isa is NULL. */
struct disassembly *disassembly_new(const struct isa *isa);
void disassembly_free(struct disassembly *d); /* NULL is fine */
/*
 * The instruction at @address, with which the @left bytes of @code begin; @left is 1 or more. Bytes that are no
 * instruction are told one by one.
 */
struct instruction disassembly_at(struct disassembly *d, const uint8_t *code, size_t left, uint64_t address);

#endif
