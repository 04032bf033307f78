/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.h - the part of the stack that was recorded with a sample, and the registers of a frame. */
#ifndef REPORT_UNWIND_MEMORY_H
#define REPORT_UNWIND_MEMORY_H

#include "report/isa/cfi_row.h"

struct memory {
	uint64_t base; /* address of the first word, a multiple of 8 */
	const uint64_t *words;
	uint32_t n;
	uint8_t size; /* bytes of the guest's words: 8, or 4, of which two make a word above */
};

struct registers {
	uint64_t ip;
	uint64_t reg[ISA_REGS];
	uint32_t known; /* bit r: the value of reg[r] is known */
};

/* The guest's aligned word at @address; false if it was not recorded. */
static inline bool memory_word(const struct memory *m, uint64_t address, uint64_t *word)
{
	uint64_t i = (address - m->base) / 8;

	if (address < m->base || address % m->size != 0 || i >= m->n)
		return false;
	*word = m->words[i];
	if (m->size == 4)
		*word = address % 8 ? *word >> 32 : (uint32_t)*word;
	return true;
}

#endif
