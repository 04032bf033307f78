/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/heat.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND 1000000000u

void heat_init(struct heat *h, uint64_t rate_mhz)
{
	static const uint32_t rows[] = {50, 25, 20, 10, 5};
	size_t i = 0;

	while (i + 1 < sizeof(rows) / sizeof(rows[0]) && rate_mhz != 0 && rows[i] * 1000u > rate_mhz)
		i++;
	*h = (struct heat){.rows = rows[i], .cell_ns = SECOND / rows[i], .most = HEAT_ENTRIES_MAX};
}

void heat_free(struct heat *h)
{
	free(h->entries);
	hash_table_free(&h->index);
	*h = (struct heat){0};
}

/* In the room that hash_table_reserve() made. */
static int count(struct heat *h, struct heat_entry more)
{
	uint32_t hash = hash_table_hash(&h->index, more.cell, more.stack), id;
	int rc;

	for (size_t at = hash_table_first(&h->index, hash); hash_table_id(&h->index, &at, hash, &id);
	     at = hash_table_next(&h->index, at)) {
		struct heat_entry *e = &h->entries[id];

		if (e->cell == more.cell && e->stack == more.stack) {
			e->weight += more.weight;
			return 0;
		}
	}
	rc = array_room(&h->entries, &h->cap, h->n, sizeof(*h->entries));
	if (rc != 0)
		return rc;
	h->entries[h->n] = more;
	hash_table_add(&h->index, hash, (uint32_t)h->n++);
	return 0;
}

/* Two cells become one. Never more entries than before, and never before those still to be read. */
static void coarsen(struct heat *h)
{
	size_t n = h->n;

	h->cell_ns *= 2;
	h->cells = h->cells / 2 + h->cells % 2;
	h->n = 0;
	hash_table_clear(&h->index);
	for (size_t i = 0; i < n; i++) {
		struct heat_entry e = h->entries[i];

		e.cell /= 2;
		count(h, e); /* cannot fail: there is room for as many */
	}
}

int heat_add(struct heat *h, uint64_t time_ns, uint64_t weight, uint32_t stack, size_t nstacks)
{
	uint64_t cells = (uint64_t)h->rows * HEAT_COLUMNS_MAX;
	struct heat_entry entry = {.stack = stack, .weight = weight};
	int rc = hash_table_reserve(&h->index);

	if (rc != 0)
		return rc;
	if (nstacks * 2 > h->most)
		h->most = nstacks * 2;
	while (time_ns / h->cell_ns >= cells || (h->n >= h->most && h->cells > 1))
		coarsen(h);
	entry.cell = (uint32_t)(time_ns / h->cell_ns);
	if (entry.cell >= h->cells)
		h->cells = entry.cell + 1;
	return count(h, entry);
}

static int compare(const void *va, const void *vb)
{
	const struct heat_entry *a = va, *b = vb;

	if (a->cell != b->cell)
		return a->cell < b->cell ? -1 : 1;
	return (a->stack > b->stack) - (a->stack < b->stack);
}

void heat_finish(struct heat *h, const uint32_t *called)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct heat_entry e = h->entries[i];

		e.stack = called[e.stack];
		if (e.stack != UINT32_MAX)
			h->entries[n++] = e;
	}
	h->n = n;
	if (n)
		qsort(h->entries, n, sizeof(*h->entries), compare);
}
