/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/entry.h"

#include <errno.h>
#include <string.h>

#include "guest/space.h"

#define LINES 16   /* page tables, and the table's first entry */
#define MAPS_MAX 8 /* calls that map them */
#define PRESENT 0x80u

/* The handler in an interrupt gate (Intel SDM vol. 3A, 6.11 and 6.14.1). */
static uint64_t handler(const uint8_t *gate, bool is_64)
{
	uint16_t low, middle;
	uint32_t high = 0;

	if (!(gate[5] & PRESENT))
		return 0;
	memcpy(&low, gate, sizeof(low));
	memcpy(&middle, gate + 6, sizeof(middle));
	if (is_64)
		memcpy(&high, gate + 8, sizeof(high));
	return (uint64_t)high << 32 | (uint64_t)middle << 16 | low;
}

/* The first words of the table; false: they cannot be read. */
static bool read_gate(struct capture *memory, const struct vcpu_regs *regs, uint64_t gate[2], uint32_t n)
{
	uint32_t got = 0;

	capture_set_live(memory, true);
	for (int i = 0; i < MAPS_MAX; i++) {
		struct space space = space_of(regs, memory);

		if (space_copy(&space, regs->interrupt_table, gate, n, &got) != -EAGAIN || capture_extend(memory) < 0)
			break;
	}
	return got == n;
}

bool entry_find(struct pages *pages, const struct vcpu_regs *regs, uint64_t *entry)
{
	bool is_64 = regs->arch && regs->arch->word == 8, found;
	struct capture *memory;
	uint64_t gate[2] = {0};

	*entry = regs->valid ? regs->first_handler : 0;
	if (!regs->valid || *entry || !regs->interrupt_table || regs->interrupt_table % 8 || !regs->arch->translate)
		return regs->valid;
	memory = capture_new(pages, LINES);
	found = memory && read_gate(memory, regs, gate, is_64 ? 2 : 1);
	if (found)
		*entry = handler((const uint8_t *)gate, is_64);
	capture_free(memory);
	return found;
}
