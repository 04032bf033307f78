/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/bytes/wire.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void put_hex(char *text, const uint8_t *bytes, size_t n)
{
	*text = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

uint64_t get_long_varint(struct cursor *c)
{
	const uint8_t *at = c->at;
	uint64_t v = 0;

	for (unsigned shift = 0; !c->bad && shift < 64 && at < c->end; shift += 7) {
		uint8_t byte = *at++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			c->at = at;
			return v;
		}
	}
	c->bad = true;
	return 0;
}

uint64_t checksum(const void *data, size_t len)
{
	return XXH64(data, len, 0);
}

uint64_t checksum2(const void *a, size_t alen, const void *b, size_t blen)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	XXH64_update(&state, a, alen);
	XXH64_update(&state, b, blen);
	return XXH64_digest(&state);
}
