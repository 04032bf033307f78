/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/bytes/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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
