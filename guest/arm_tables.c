/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/arm.h"

#include <errno.h>

#define FIELD(value, low, bits) ((value) >> (low) & ((1ull << (bits)) - 1))

#define SCTLR_M 0x1u /* the MMU is on */

#define DESCRIPTOR_VALID 0x1u
#define DESCRIPTOR_TABLE 0x2u                    /* else a block; of a last level: a page */
#define DESCRIPTOR_ADDRESS 0x0000fffffffff000ull /* bits below the granule are not part of it */
#define TTBR_ADDRESS 0x0000fffffffffffeull       /* neither the ASID nor CnP */

/* One of the two halves of an address space. */
struct half {
	uint64_t table;   /* address of the first one */
	unsigned bits;    /* of an address that count */
	unsigned granule; /* log2 of its bytes */
	bool disabled;
};

/*
 * The format with descriptors of 8 bytes: a table is as long as the granule and gives granule - 3 bits of the address,
 * the first one what is left. Levels count down to 0, the pages'.
 */
static int walk_long(struct capture *capture, const struct half *half, uint64_t address, uint64_t *frame)
{
	unsigned step = half->granule - 3, levels;
	uint64_t table, in_half;

	if (half->disabled || half->granule == 0 || half->bits <= half->granule ||
	    half->bits > (half->granule == 16 ? 52 : 48))
		return -EFAULT;
	in_half = address & ((1ull << half->bits) - 1);
	levels = (half->bits - half->granule + step - 1) / step;
	/* The first table lies at a multiple of its size. */
	table = half->table & ~((8ull << (half->bits - half->granule - (levels - 1) * step)) - 1);
	for (unsigned level = levels; level-- > 0;) {
		unsigned shift = half->granule + level * step;
		uint64_t below = (1ull << shift) - 1, entry;
		uint64_t at = table + (in_half >> shift & ((1ull << step) - 1)) * sizeof(entry);
		int rc = capture_read(capture, at >> GUEST_PAGE_SHIFT, at % GUEST_PAGE_SIZE, &entry, sizeof(entry));

		if (rc != 0)
			return rc;
		if (!(entry & DESCRIPTOR_VALID))
			return -EFAULT;
		table = entry & DESCRIPTOR_ADDRESS & ~((1ull << half->granule) - 1);
		if (level > 0 && (entry & DESCRIPTOR_TABLE))
			continue;
		/* Blocks are of the two levels above the pages; a page is marked as a table is. */
		if (level > (half->granule == 12 ? 2 : 1) || (level == 0 && !(entry & DESCRIPTOR_TABLE)))
			return -EFAULT;
		*frame = ((table & ~below) | (in_half & below)) >> GUEST_PAGE_SHIFT;
		return 0;
	}
	return -EFAULT;
}

static int walk_none(uint64_t address, uint64_t *frame)
{
	*frame = address >> GUEST_PAGE_SHIFT;
	return 0;
}

/*
 * Bit 55 chooses the half. All bits that do not count must be like it, the top byte only if it is not for tags
 * (TBI).
 */
int arm64_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	static const uint8_t granules[2][4] = {{12, 16, 14, 0}, {0, 14, 12, 16}}; /* by TG0, TG1 */
	const uint64_t tcr = root->arm.tcr;
	const unsigned upper = FIELD(address, 55, 1), base = upper ? 16 : 0, tbi = upper ? 38 : 37;
	const struct half half = {
		.table = (upper ? root->arm.ttbr1 : root->arm.ttbr0) & TTBR_ADDRESS,
		.bits = 64 - (unsigned)FIELD(tcr, base, 6),
		.granule = granules[upper][FIELD(tcr, base + 14, 2)],
		.disabled = FIELD(tcr, base + 7, 1), /* EPD0, EPD1 */
	};
	uint64_t rest;

	if (!(root->arm.sctlr & SCTLR_M))
		return walk_none(address, frame);
	rest = (upper ? ~address : address) & (FIELD(tcr, tbi, 1) ? 0x00ffffffffffffffull : ~0ull);
	if (half.bits < 64 && rest >> half.bits != 0)
		return -EFAULT;
	return walk_long(capture, &half, address, frame);
}

/* --- 32 bits ----------------------------------------------------------------------------------------------------- */

#define TTBCR_EAE 0x80000000u /* the format with long descriptors */

/* TTBR1 has the highest addresses, if T1SZ says how many, or else what TTBR0 leaves. */
static int walk_lpae(struct capture *capture, const struct space_root *root, uint32_t address, uint64_t *frame)
{
	const uint64_t tcr = root->arm.tcr;
	const unsigned t0 = FIELD(tcr, 0, 3), t1 = FIELD(tcr, 16, 3);
	const bool lower = (uint64_t)address >> (32 - t0) == 0, upper = t1 ? ~address >> (32 - t1) == 0 : !lower;
	const struct half half = {
		.table = (upper ? root->arm.ttbr1 : root->arm.ttbr0) & TTBR_ADDRESS,
		.bits = 32 - (upper ? t1 : t0),
		.granule = 12,
		.disabled = FIELD(tcr, upper ? 23 : 7, 1), /* EPD0, EPD1 */
	};

	return upper || lower ? walk_long(capture, &half, address, frame) : -EFAULT;
}

static int read_short(struct capture *capture, uint64_t table, uint32_t index, uint32_t *entry)
{
	uint64_t at = table + index * sizeof(*entry);

	return capture_read(capture, at >> GUEST_PAGE_SHIFT, at % GUEST_PAGE_SIZE, entry, sizeof(*entry));
}

static uint64_t frame_in(uint64_t start, uint32_t address, unsigned bits)
{
	const uint64_t below = (1ull << bits) - 1;

	return ((start & ~below) | (address & below)) >> GUEST_PAGE_SHIFT;
}

/* The format with descriptors of 4 bytes: sections of 1 MiB, supersections of 16 MiB; pages of 64 KiB and of 4 KiB. */
static int walk_short(struct capture *capture, const struct space_root *root, uint32_t address, uint64_t *frame)
{
	const unsigned n = FIELD(root->arm.tcr, 0, 3); /* TTBR0's half is 4 GiB shorter by so many bits */
	const bool upper = n > 0 && address >> (32 - n) != 0;
	uint64_t table =
		upper ? root->arm.ttbr1 & 0xffffc000u : root->arm.ttbr0 & 0xffffffffu << (14 - n) & 0xffffffffu;
	uint32_t entry;
	int rc;

	if (FIELD(root->arm.tcr, upper ? 5 : 4, 1)) /* PD0, PD1 */
		return -EFAULT;
	rc = read_short(capture, table, address >> 20, &entry);
	if (rc != 0)
		return rc;
	switch (entry & 3) {
	case 0:
		return -EFAULT;
	case 1:
		break;
	default:
		if (entry & 1u << 18)
			*frame = frame_in((entry & 0xff000000u) | FIELD((uint64_t)entry, 20, 4) << 32 |
			                          FIELD((uint64_t)entry, 5, 4) << 36,
			                  address, 24);
		else
			*frame = frame_in(entry, address, 20);
		return 0;
	}
	rc = read_short(capture, entry & 0xfffffc00u, FIELD(address, 12, 8), &entry);
	if (rc != 0)
		return rc;
	if ((entry & 3) == 0)
		return -EFAULT;
	*frame = frame_in(entry, address, entry & 2 ? 12 : 16);
	return 0;
}

int arm32_walk(struct capture *capture, const struct space_root *root, uint64_t address, uint64_t *frame)
{
	if (!(root->arm.sctlr & SCTLR_M))
		return walk_none(address, frame);
	return (root->arm.tcr & TTBCR_EAE ? walk_lpae : walk_short)(capture, root, (uint32_t)address, frame);
}
