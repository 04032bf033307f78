/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.h - reads words of a guest's virtual address space. Page tables are walked again for each page and sample,
 * since the guest may change them at any time. Makes no call and allocates nothing, so it may run while the guest is
 * paused.
 */
#ifndef GUEST_SPACE_H
#define GUEST_SPACE_H

#include <stdint.h>

#include "guest/arch.h"
#include "guest/pages.h"

struct space {
	const struct arch *arch;
	struct pages *pages;
	uint64_t root;
	/* The page read last: consecutive frames are mostly on one page. */
	uint64_t last_address; /* of the page; 1: none */
	const uint8_t *last;
};

static inline struct space space_of(const struct arch *arch, struct pages *pages, uint64_t root)
{
	return (struct space){.arch = arch, .pages = pages, .root = root, .last_address = 1};
}

/*
 * Reads the word at @address, which must be aligned to the word size. 0; -EFAULT: the guest has no page there;
 * -EAGAIN: we have not mapped a page yet (pages_fill() will); -EIO: it cannot be mapped.
 */
int space_read(struct space *s, uint64_t address, uint64_t *word);
/*
 * Copies up to @n words of 8 bytes from @address, a multiple of 8; *got is how many. 0: all of them; else it stopped
 * at a page that could not be read, with the error of space_read().
 */
int space_copy(struct space *s, uint64_t address, uint64_t *words, uint32_t n, uint32_t *got);

#endif
