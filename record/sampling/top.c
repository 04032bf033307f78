/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/sampling/top.h"

#include <errno.h>

#include "record/sampling/walk.h"

#define REGION_SHIFT 31     /* code that calls each other directly lies within 2 GiB */
#define REGION_SHIFT_32 26  /* of 32-bit code that would be nearly all; a program's code mostly lies within 64 MiB */
#define REGIONS 8           /* different ones of one stack that are looked at */
#define LOWEST_CODE 0x1000u /* nothing runs in the first page */

static uint64_t first_word(const struct vcpu_regs *regs)
{
	return regs->sp & ~(uint64_t)(UPF_WORD - 1);
}

/*
 * The frame pointer is the function's own or still its caller's. Either way, the return address that the report looks
 * for is below it, or is the one that the walk found.
 */
uint32_t top_window(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, bool *cold)
{
	uint64_t base = first_word(regs), n = max;
	uint32_t got = 0;

	if (!regs->valid)
		return 0;
	if (regs->fp >= base && (regs->fp - base) / UPF_WORD < max)
		n = (regs->fp - base) / UPF_WORD;
	*cold |= space_copy(space, base, words, (uint32_t)n, &got) == -EAGAIN;
	return got;
}

enum upf_end top_copy(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t max, uint32_t *n)
{
	int rc;

	*n = 0;
	if (!regs->valid)
		return UPF_END_NONE;
	rc = space_copy(space, first_word(regs), words, max, n);
	return rc == 0 ? UPF_END_DEPTH : walk_end(rc);
}

/* Where the return addresses are. */
struct regions {
	unsigned shift, n;
	uint64_t region[REGIONS];
};

static struct regions regions_of(const uint64_t *frames, uint32_t depth, uint8_t word)
{
	struct regions r = {.shift = word == 4 ? REGION_SHIFT_32 : REGION_SHIFT};

	for (uint32_t i = 0; i < depth && r.n < REGIONS; i++) {
		uint64_t region = frames[i] >> r.shift;
		unsigned at = 0;

		while (at < r.n && r.region[at] != region)
			at++;
		if (at == r.n)
			r.region[r.n++] = region;
	}
	return r;
}

static bool is_near(const struct regions *r, uint64_t address)
{
	uint64_t region = address >> r->shift;

	for (unsigned i = 0; i < r->n && address >= LOWEST_CODE; i++)
		if (region + 1 - r->region[i] <= 2)
			return true;
	return false;
}

void top_filter(uint64_t *words, uint32_t n, const uint64_t *frames, uint32_t depth, uint64_t fp, uint8_t word)
{
	const struct regions regions = regions_of(frames, depth, word);
	uint64_t mask = word == 4 ? UINT32_MAX : UINT64_MAX;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t kept = 0;

		for (unsigned bit = 0; bit < 64; bit += 8u * word) {
			uint64_t value = words[i] >> bit & mask;

			if (value == fp || is_near(&regions, value))
				kept |= value << bit;
		}
		words[i] = kept;
	}
}
