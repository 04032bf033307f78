/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64 PV guests: four levels of page tables whose entries are machine frames (Intel SDM vol. 3A, 4.5). */
#include <errno.h>

#include "guest/arch.h"
#include "guest/capture.h"

#define PTE_PRESENT 0x1u
#define PTE_SUPERPAGE 0x80u
#define PTE_UNCACHED 0x18u              /* PWT and PCD */
#define PTE_FRAME 0x000ffffffffff000ull /* software bits 52-62 and NX are not part of the address */

static bool canonical(uint64_t address)
{
	uint64_t top = address >> 47;

	return top == 0 || top == 0x1ffff;
}

static int translate(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	uint64_t table = root->cr3 >> GUEST_PAGE_SHIFT;

	for (int shift = 39; shift >= 12; shift -= 9) {
		uint64_t entry, below = (1ull << shift) - 1;
		uint32_t offset = (uint32_t)(address >> shift & 0x1ff) * sizeof(entry);
		int rc = capture_read(capture, table, offset, &entry, sizeof(entry));

		if (rc != 0)
			return rc;
		if (!(entry & PTE_PRESENT))
			return -EFAULT;
		/* Registers of a passed-through device: reading them may have side effects. */
		if (entry & PTE_UNCACHED)
			return -EIO;
		table = (entry & PTE_FRAME) >> GUEST_PAGE_SHIFT;
		if (shift != 12 && shift != 39 && (entry & PTE_SUPERPAGE)) {
			table = (table & ~(below >> GUEST_PAGE_SHIFT)) | (address & below) >> GUEST_PAGE_SHIFT;
			break;
		}
	}
	*frame = table;
	return 0;
}

const struct arch arch_x86_64_pv = {
	.id = ARCH_X86_64,
	.word = 8,
	.return_offset = 8,
	.canonical = canonical,
	.translate = translate,
};
