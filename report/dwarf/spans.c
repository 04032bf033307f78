/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/dwarf/spans.h"

#include "common/array.h"

#include <stdlib.h>

int spans_add(struct spans *s, uint64_t start, uint64_t end, uint64_t die, uint32_t unit)
{
	const struct span span = {.start = start, .end = end, .die = die, .unit = unit};

	return start < end ? array_add(s->list, s->cap, s->n, span) : 0;
}

/* By start; of spans with the same start, the longest first. */
static int compare_spans(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	if (a->start != b->start)
		return array_compare(a->start, b->start);
	if (a->end != b->end)
		return array_compare(b->end, a->end);
	return array_compare(a->die, b->die);
}

void spans_sort(struct spans *s)
{
	uint64_t reach = 0;

	array_sort(s->list, s->n, sizeof(*s->list), compare_spans);
	for (size_t i = 0; i < s->n; i++) {
		reach = s->list[i].end > reach ? s->list[i].end : reach;
		s->list[i].reach = reach;
	}
}

const struct span *spans_find(const struct spans *s, uint64_t address, uint64_t *looks, uint64_t looks_max)
{
	size_t low;

	ARRAY_SEARCH(low, s->n, s->list[low].start <= address);
	for (; low > 0 && s->list[low - 1].reach > address && (*looks)++ < looks_max; low--)
		if (s->list[low - 1].end > address)
			return &s->list[low - 1];
	return NULL;
}
