/* SPDX-License-Identifier: BSD-2-Clause */
#include "xenif/space.h"

#include <string.h>

int space_read(struct space *s, uint64_t address, uint64_t *word)
{
	uint64_t page_address = address & ~(uint64_t)(XENIF_PAGE_SIZE - 1);

	if (page_address != s->last_address) {
		uint64_t frame;
		int rc = s->arch->translate(s->pages, s->root, address, &frame);

		if (rc == 0)
			rc = pages_find(s->pages, frame, (const void **)&s->last);
		s->last_address = rc == 0 ? page_address : 1;
		if (rc != 0)
			return rc;
	}
	*word = 0;
	/* Guests are little-endian, whatever their word size. */
	memcpy(word, s->last + (address - page_address), s->arch->word);
	return 0;
}
