/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.h - reads words of a guest's address space, page tables walked afresh for each page and sample.
 * Makes no call and allocates nothing: it may run while the guest is paused.
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
	/* the page read last: consecutive frames mostly share one */
	uint64_t last_address; /* of the page; 1: none */
	const uint8_t *last;
};

static inline struct space space_of(const struct arch *arch, struct pages *pages, uint64_t root)
{
	return (struct space){.arch = arch, .pages = pages, .root = root, .last_address = 1};
}

/*
 * The word at @address, which must be aligned to the word size. 0; -EFAULT: no page there; -EAGAIN: a page is not
 * mapped by us yet (noted for pages_fill()); -EIO: it cannot be mapped.
 */
int space_read(struct space *s, uint64_t address, uint64_t *word);
/*
 * Up to @n words of 8 bytes from @address, a multiple of 8: *got of them, fewer if a page is missing. Then why, as
 * space_read() says it; else 0.
 */
int space_copy(struct space *s, uint64_t address, uint64_t *words, uint32_t n, uint32_t *got);

#endif
