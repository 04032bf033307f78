/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/stack/code.h"

#include <errno.h>
#include <string.h>

#define WORDS (REGISTERS_CODE / 8)
#define BEFORE 3 /* words */

/* The word that holds @ip is read first, then those behind it, then those before it, as far as there are any. */
bool code_read(struct space *space, uint64_t ip, struct register_set *set)
{
	uint64_t words[WORDS], first = (ip & ~(uint64_t)7) - 8 * BEFORE;
	unsigned from = BEFORE, to = BEFORE;
	uint32_t got;
	int rc = 0;

	while (to < WORDS && (rc = space_copy(space, first + 8 * to, &words[to], 1, &got)) == 0)
		to++;
	while (from > 0 && to > BEFORE && rc != -EAGAIN &&
	       (rc = space_copy(space, first + 8 * (from - 1), &words[from - 1], 1, &got)) == 0)
		from--;
	set->code_size = (uint8_t)(8 * (to - from));
	set->code_before = set->code_size ? (uint8_t)(ip - (first + 8 * from)) : 0;
	memcpy(set->code, words + from, set->code_size);
	return rc != -EAGAIN;
}
