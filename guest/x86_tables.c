/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats and bits: Intel SDM vol. 3A, chapter 4; PSE-36: 4.3. */
#include "guest/x86.h"

#include <errno.h>

#define PRESENT 0x1u
#define UNCACHED 0x18u              /* PWT and PCD */
#define LARGE 0x80u                 /* in the tables above the last ones: the entry is a page */
#define FRAME 0x000ffffffffff000ull /* the bits above are software's and NX, those below are flags */
#define OFFSET (GUEST_PAGE_SIZE - 1)

#define LEVEL(shift) (1ull << (shift))

struct format {
	uint8_t top;       /* how far an address is shifted for its index in the highest table */
	uint8_t bits;      /* of the address that a level takes */
	uint8_t entry;     /* bytes of an entry */
	uint64_t large;    /* the levels whose entries can be pages */
	uint64_t reserved; /* the levels where the processor refuses such an entry */
	uint64_t refused;  /* entries with one of these bits are not followed */
};

/* The frame of @address in the large page of @entry, at the level of @shift. */
static int large_frame(const struct format *f, unsigned shift, uint64_t entry, uint64_t address, uint64_t *frame)
{
	uint64_t below = LEVEL(shift) - 1, base = entry & FRAME & ~below;
	uint64_t reserved = below & ~(uint64_t)(2 * GUEST_PAGE_SIZE - 1); /* the lowest bit above the flags is PAT's */

	if (f->entry == 4) {
		reserved = 1u << 21;
		base |= (entry & 0x1fe000) << 19; /* PSE-36: bits 32 to 39 of the address */
	}
	if (entry & reserved)
		return -EFAULT;
	*frame = (base | (address & below)) >> GUEST_PAGE_SHIFT;
	return 0;
}

static int walk_tables(const struct format *f, struct capture *capture, uint64_t table, uint64_t address,
                       uint64_t *frame)
{
	for (unsigned shift = f->top; shift >= GUEST_PAGE_SHIFT; shift -= f->bits) {
		uint64_t at = table + (address >> shift & ((1u << f->bits) - 1)) * f->entry, entry = 0;
		int rc = capture_read(capture, at >> GUEST_PAGE_SHIFT, at & OFFSET, &entry, f->entry);

		if (rc != 0)
			return rc;
		if (!(entry & PRESENT))
			return -EFAULT;
		if (entry & f->refused)
			return -EIO;
		if (entry & LARGE && f->reserved & LEVEL(shift))
			return -EFAULT;
		if (entry & LARGE && f->large & LEVEL(shift))
			return large_frame(f, shift, entry, address, frame);
		table = entry & FRAME;
	}
	*frame = table >> GUEST_PAGE_SHIFT;
	return 0;
}

#define WALK(name, ...) \
	int name(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame) \
	{ \
		static const struct format f = {__VA_ARGS__}; \
\
		return walk_tables(&f, capture, root->cr3, address, frame); \
	}

/*
 * PV guests' entries are machine frames, those of a passed-through device's registers too: reading these may have side
 * effects.
 */
WALK(x86_walk_pv, 39, 9, 8, LEVEL(30) | LEVEL(21), LEVEL(39), UNCACHED)
WALK(x86_walk_pv_pae, 30, 9, 8, LEVEL(21), LEVEL(30), UNCACHED)
WALK(x86_walk_5, 48, 9, 8, LEVEL(30) | LEVEL(21), LEVEL(48) | LEVEL(39), 0)
WALK(x86_walk_4, 39, 9, 8, LEVEL(30) | LEVEL(21), LEVEL(39), 0)

/* The processor reads the four entries of the highest table when cr3 is written, and checks their bits only then. */
WALK(x86_walk_pae, 30, 9, 8, LEVEL(21), LEVEL(30), 0)
WALK(x86_walk_2_large, 22, 10, 4, LEVEL(22), 0, 0)
WALK(x86_walk_2, 22, 10, 4, 0, 0, 0)

int x86_walk_none(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	(void)capture, (void)root;
	*frame = address >> GUEST_PAGE_SHIFT;
	return 0;
}
