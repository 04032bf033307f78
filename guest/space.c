/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/space.h"

#include <errno.h>
#include <string.h>

/* Makes s->last the page that holds @address. */
static int enter_page(struct space *s, uint64_t address)
{
	uint64_t page_address = address & ~(uint64_t)(GUEST_PAGE_SIZE - 1), frame;
	int rc;

	if (page_address == s->last_address)
		return 0;
	rc = s->arch->translate(s->pages, s->root, address, &frame);
	if (rc == 0)
		rc = pages_find(s->pages, frame, (const void **)&s->last);
	s->last_address = rc == 0 ? page_address : 1;
	return rc;
}

int space_read(struct space *s, uint64_t address, uint64_t *word)
{
	int rc = enter_page(s, address);

	if (rc != 0)
		return rc;
	*word = 0;
	/* Guests are little-endian, whatever their word size. */
	memcpy(word, s->last + address % GUEST_PAGE_SIZE, s->arch->word);
	return 0;
}

int space_copy(struct space *s, uint64_t address, uint64_t *words, uint32_t n, uint32_t *got)
{
	*got = 0;
	while (*got < n) {
		uint64_t at = address + *got * sizeof(*words);
		uint32_t here = (uint32_t)(GUEST_PAGE_SIZE - at % GUEST_PAGE_SIZE) / sizeof(*words);
		int rc = s->arch->canonical(at) ? enter_page(s, at) : -EFAULT;

		if (rc != 0)
			return rc;
		if (here > n - *got)
			here = n - *got;
		memcpy(words + *got, s->last + at % GUEST_PAGE_SIZE, here * sizeof(*words));
		*got += here;
	}
	return 0;
}
