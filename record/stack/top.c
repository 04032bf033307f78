/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/top.h"

#include <errno.h>
#include <string.h>

#include "record/stack/walk.h"

#define REGION_SHIFT 31      /* code that calls each other directly lies within 2 GiB */
#define REGIONS 8            /* different ones of one stack that are looked at */
#define LOWEST_CODE 0x1000u  /* nothing runs in the first page */
#define FLAGS_SET 0x2u       /* bit 1 of the flags always is, */
#define FLAGS_FREE 0x3f7fd5u /* these may be, and no other */
#define CODE_WORDS (REGISTERS_CODE / 8)
#define CODE_BEFORE 3 /* of them */

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
		n = (regs->fp - base + UPF_WORD - 1) / UPF_WORD;
	*cold |= space_copy(space, base, words, (uint32_t)n, &got) == -EAGAIN;
	return got;
}

static uint64_t word_at(const uint64_t *words, uint32_t i, unsigned size)
{
	return size == UPF_WORD ? words[i] : (uint32_t)(words[i / 2] >> 32 * (i % 2));
}

/*
 * Are these words what an interrupt pushes: where it came, cs, the flags, and in 64-bit mode the stack pointer and ss
 * (Intel SDM vol. 3A, 6.12 and 6.14.2)?
 */
static bool is_interrupt(const uint64_t *words, uint32_t i, unsigned size)
{
	const uint64_t cs = word_at(words, i + 1, size), flags = word_at(words, i + 2, size);

	return word_at(words, i, size) >= LOWEST_CODE && cs > 0 && cs <= UINT16_MAX &&
	       (flags & ~FLAGS_FREE) == FLAGS_SET &&
	       (size != UPF_WORD || (words[i + 3] >= LOWEST_CODE && words[i + 4] <= UINT16_MAX));
}

/* The first frame pointer at or above word number @i, by those saved in the @n words from @base; 0: it is not there. */
static uint64_t frame_above(const uint64_t *words, uint32_t n, uint64_t base, uint64_t fp, uint32_t i, unsigned size)
{
	const uint64_t least = base + (uint64_t)i * size;

	while (fp < least) {
		const uint64_t below = fp, at = (fp - base) / size;

		fp = fp % size == 0 && at < n ? word_at(words, (uint32_t)at, size) : 0;
		if (fp <= below)
			return 0;
	}
	return fp;
}

uint32_t top_interrupts(struct space *space, const struct vcpu_regs *regs, uint64_t *words, uint32_t n, uint32_t max)
{
	const unsigned size = regs->valid ? regs->arch->word : 0, pushed = size == UPF_WORD ? 5 : 3;
	const uint32_t per = UPF_WORD / (size ? size : UPF_WORD);
	uint32_t more = 0, all = n * per, read;
	uint64_t fp;

	if (size < 4 || regs->fp != first_word(regs) + (uint64_t)n * UPF_WORD)
		return n;
	space_copy(space, regs->fp, words + n, max - n, &more);
	read = (n + more) * per;
	for (uint32_t i = all; i + pushed <= read; i++)
		if (is_interrupt(words, i, size))
			all = i + pushed;
	if (all == n * per)
		return n;
	/* What was interrupted may have no frame yet: the next one tells, by where its return address is. */
	fp = frame_above(words, read, first_word(regs), regs->fp, all, size);
	if (fp && (fp - first_word(regs)) / size + 2 < read)
		read = (uint32_t)((fp - first_word(regs)) / size) + 2;
	return (read + per - 1) / per;
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

/* The 2 GiB regions that the return addresses are in. */
static unsigned regions_of(const uint64_t *frames, uint32_t depth, uint64_t *regions)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < depth && n < REGIONS; i++) {
		uint64_t region = frames[i] >> REGION_SHIFT;
		unsigned r = 0;

		while (r < n && regions[r] != region)
			r++;
		if (r == n)
			regions[n++] = region;
	}
	return n;
}

/* Is @word the frame pointer, or near one of the regions? */
static bool is_near_wanted(uint64_t word, const uint64_t *regions, unsigned n, uint64_t fp)
{
	uint64_t region = word >> REGION_SHIFT;
	bool near = word == fp;

	for (unsigned r = 0; r < n && word >= LOWEST_CODE; r++)
		near |= region + 1 - regions[r] <= 2;
	return near;
}

void top_filter(uint64_t *words, uint32_t n, const uint64_t *frames, uint32_t depth, uint64_t fp, unsigned size)
{
	uint64_t regions[REGIONS], low = UINT32_MAX;
	unsigned nregions = regions_of(frames, depth, regions);

	for (uint32_t i = 0; i < n; i++) {
		if (size == UPF_WORD) {
			words[i] = is_near_wanted(words[i], regions, nregions, fp) ? words[i] : 0;
			continue;
		}
		if (!is_near_wanted(words[i] & low, regions, nregions, fp))
			words[i] &= ~low;
		if (!is_near_wanted(words[i] >> 32, regions, nregions, fp))
			words[i] &= low;
	}
}

/* The word that holds @ip is read first, then those behind it, then those before it, as far as there are any. */
bool top_read_code(struct space *space, uint64_t ip, struct register_set *set)
{
	uint64_t words[CODE_WORDS], first = (ip & ~(uint64_t)7) - 8 * CODE_BEFORE;
	unsigned from = CODE_BEFORE, to = CODE_BEFORE;
	uint32_t got;
	int rc = 0;

	while (to < CODE_WORDS && (rc = space_copy(space, first + 8 * to, &words[to], 1, &got)) == 0)
		to++;
	while (from > 0 && to > CODE_BEFORE && rc != -EAGAIN &&
	       (rc = space_copy(space, first + 8 * (from - 1), &words[from - 1], 1, &got)) == 0)
		from--;
	set->code_size = (uint8_t)(8 * (to - from));
	set->code_before = set->code_size ? (uint8_t)(ip - (first + 8 * from)) : 0;
	memcpy(set->code, words + from, set->code_size);
	return rc != -EAGAIN;
}
