/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/radix_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BITS 11
#define DIGITS ((64 + BITS - 1) / BITS)
#define VALUES (1u << BITS)

struct item {
	uint64_t key;
	uint32_t id;
};

uint32_t *radix_sort_ids(size_t n)
{
	uint32_t *ids = malloc((n + 1) * sizeof(*ids));

	for (size_t i = 0; ids && i < n; i++)
		ids[i] = (uint32_t)i;
	return ids;
}

static unsigned digit(uint64_t key, unsigned which)
{
	return (unsigned)(key >> which * BITS) & (VALUES - 1);
}

/* From @from to @to by one digit; @count says how often it has each value. */
static void sort_by_digit(struct item *to, const struct item *from, size_t n, unsigned which, const size_t *count)
{
	size_t place[VALUES], sum = 0;

	for (unsigned v = 0; v < VALUES; sum += count[v++])
		place[v] = sum;
	for (size_t i = 0; i < n; i++)
		to[place[digit(from[i].key, which)]++] = from[i];
}

int radix_sort(uint32_t *ids, size_t n, uint64_t (*key)(const void *ctx, uint32_t id), const void *ctx)
{
	struct item *from = malloc((n + 1) * sizeof(*from)), *to = malloc((n + 1) * sizeof(*to)), *other;
	size_t(*count)[VALUES] = calloc(DIGITS, sizeof(*count));
	int rc = from && to && count ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		from[i] = (struct item){key(ctx, ids[i]), ids[i]};
		for (unsigned d = 0; d < DIGITS; d++)
			count[d][digit(from[i].key, d)]++;
	}
	for (unsigned d = 0; rc == 0 && n && d < DIGITS; d++) {
		if (count[d][digit(from[0].key, d)] == n)
			continue; /* the same in all */
		sort_by_digit(to, from, n, d, count[d]);
		other = from;
		from = to;
		to = other;
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		ids[i] = from[i].id;
	free(from);
	free(to);
	free(count);
	return rc;
}
