/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/space.h"

#include <errno.h>

#define OFFSET (GUEST_PAGE_SIZE - 1)

/* Makes s->last_frame the frame that holds @address. */
static int enter_page(struct space *s, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)OFFSET;
	int rc;

	if (page == s->last_address)
		return 0;
	if (!s->arch->translate)
		return -ENOTSUP;
	rc = s->arch->translate(s->capture, &s->root, address, &s->last_frame);
	s->last_address = rc == 0 ? page : 1;
	return rc;
}

int space_read(struct space *s, uint64_t address, uint64_t *word)
{
	int rc = enter_page(s, address);

	/* Guests are little-endian, whatever their word size. */
	*word = 0;
	return rc ? rc : capture_read(s->capture, s->last_frame, address & OFFSET, word, s->arch->word);
}

int space_copy(struct space *s, uint64_t address, uint64_t *words, uint32_t n, uint32_t *got)
{
	*got = 0;
	while (*got < n) {
		uint64_t at = address + *got * sizeof(*words);
		uint32_t here = (uint32_t)(CAPTURE_LINE - at % CAPTURE_LINE) / sizeof(*words);
		int rc = s->arch->canonical(at) ? enter_page(s, at) : -EFAULT;

		if (here > n - *got)
			here = n - *got;
		if (rc == 0)
			rc = capture_read(s->capture, s->last_frame, at & OFFSET, words + *got, here * sizeof(*words));
		if (rc != 0)
			return rc;
		*got += here;
	}
	return 0;
}

/* How many pieces of @size bytes the bytes from @from up to @to touch. Behind the last address there is none. */
static uint64_t pieces(uint64_t from, uint64_t to, uint64_t size)
{
	return from < to ? (to - 1) / size - from / size + 1 : 0;
}

void space_want(struct space *s, uint64_t from, uint64_t to)
{
	uint64_t left = pieces(from, to, CAPTURE_LINE);

	for (from &= ~(uint64_t)(CAPTURE_LINE - 1); left > 0; left--, from += CAPTURE_LINE)
		if (s->arch->canonical(from) && enter_page(s, from) == 0)
			capture_want(s->capture, s->last_frame, from & OFFSET);
}

void space_expect(struct space *s, uint64_t from, uint64_t to)
{
	uint64_t left = pieces(from, to, GUEST_PAGE_SIZE);

	for (from &= ~(uint64_t)OFFSET; left > 0; left--, from += GUEST_PAGE_SIZE)
		if (s->arch->canonical(from) && enter_page(s, from) == 0)
			capture_expect(s->capture, s->last_frame);
}
