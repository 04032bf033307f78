/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page/heat.h"

#define MS 1000000ull
#define SECOND (1000 * MS)

void heat_init(struct heat *h, uint64_t rate_mhz, uint64_t from_ns)
{
	static const uint64_t lengths[] = {2 * MS, 5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS, 200 * MS};
	size_t i = 0;

	while (i + 1 < sizeof(lengths) / sizeof(lengths[0]) && rate_mhz * (lengths[i] / MS) < 1500000)
		i++;
	*h = (struct heat){.cell_ns = lengths[i], .rows = 1, .most = HEAT_ENTRIES_MAX};
	h->origin_ns = from_ns - from_ns % h->cell_ns;
}

void heat_free(struct heat *h)
{
	hash_array_free(&h->by_place);
	*h = (struct heat){0};
}

static int count_cell(struct heat *h, uint32_t cell, uint32_t stack, uint64_t weight)
{
	uint32_t id;
	int rc = hash_array_add(&h->by_place, &id, stack, &(struct heat_entry){cell, stack, 0});

	if (rc == 0)
		h->entries[id].weight += weight;
	return rc;
}

/* So many cells become one. Never more entries than before, and never before those still to be read. */
static void coarsen(struct heat *h, uint64_t times)
{
	size_t n = h->n;

	h->cell_ns *= times;
	h->cells = (uint32_t)((h->cells + times - 1) / times);
	hash_array_clear(&h->by_place);
	for (size_t i = 0; i < n; i++) {
		const struct heat_entry e = h->entries[i];

		count_cell(h, (uint32_t)(e.cell / times), e.stack,
		           e.weight); /* cannot fail: there is room for as many */
	}
}

/* From 1 to 2 to 10, from 5 to 10, so that cells stay parts of round times. */
static uint64_t next_length(uint64_t ns)
{
	while (ns % 10 == 0)
		ns /= 10;
	return ns == 2 ? 5 : 2;
}

int heat_add(struct heat *h, uint64_t time_ns, uint64_t weight, uint32_t stack, size_t nstacks)
{
	uint32_t cell;

	if (nstacks * 2 > h->most)
		h->most = nstacks * 2;
	time_ns = time_ns > h->origin_ns ? time_ns - h->origin_ns : 0;
	while (time_ns / h->cell_ns >= HEAT_CELLS_MAX || (h->n >= h->most && h->cells > 1))
		coarsen(h, next_length(h->cell_ns));
	cell = (uint32_t)(time_ns / h->cell_ns);
	if (cell >= h->cells)
		h->cells = cell + 1;
	return count_cell(h, cell, stack, weight);
}

static int compare_cells(const void *va, const void *vb)
{
	const struct heat_entry *a = va, *b = vb;

	return a->cell != b->cell ? array_compare(a->cell, b->cell) : array_compare(a->stack, b->stack);
}

/*
 * The length of a column for so much time: a second, if that makes a fitting number of them, or else the shortest or
 * longest round time that does, but a multiple of a cell.
 */
static uint64_t column_for(const struct heat *h, uint64_t span_ns)
{
	static const uint64_t round[] = {10 * MS,       20 * MS,       50 * MS,      100 * MS,     200 * MS,
	                                 500 * MS,      SECOND,        2 * SECOND,   5 * SECOND,   10 * SECOND,
	                                 30 * SECOND,   60 * SECOND,   120 * SECOND, 300 * SECOND, 600 * SECOND,
	                                 1800 * SECOND, 3600 * SECOND, 7200 * SECOND};
	const size_t n = sizeof(round) / sizeof(round[0]);
	uint64_t chosen = 0;

	for (size_t i = 0; i < n; i++) {
		bool fits = round[i] % h->cell_ns == 0 && span_ns <= round[i] * HEAT_COLUMNS_MAX;

		if (fits && (!chosen || (round[i] <= SECOND && span_ns >= round[i] * HEAT_COLUMNS_MIN)))
			chosen = round[i];
	}
	return chosen ? chosen : h->cell_ns * (span_ns / h->cell_ns / HEAT_COLUMNS_MAX + 1);
}

/* As many rows as there are cells in a column, or the most that divide it. */
static void choose_columns(struct heat *h, uint64_t span_ns)
{
	uint64_t cells = column_for(h, span_ns) / h->cell_ns;

	h->rows = cells < HEAT_ROWS_MAX ? (uint32_t)cells : HEAT_ROWS_MAX;
	while (cells % h->rows != 0)
		h->rows--;
	if (cells > h->rows)
		coarsen(h, cells / h->rows);
	h->cells = (uint32_t)((span_ns + h->cell_ns - 1) / h->cell_ns);
}

void heat_finish(struct heat *h, uint64_t to_ns, const uint32_t *called)
{
	uint64_t seen = h->cells * h->cell_ns, whole = to_ns > h->origin_ns ? to_ns - h->origin_ns : 0;
	size_t n = 0;

	choose_columns(h, whole > seen ? whole : seen);
	for (size_t i = 0; i < h->n; i++)
		h->entries[i].stack = called[h->entries[i].stack];
	array_sort(h->entries, h->n, sizeof(*h->entries), compare_cells);
	for (size_t i = 0; i < h->n; i++) {
		const struct heat_entry e = h->entries[i];

		if (n && compare_cells(&e, &h->entries[n - 1]) == 0)
			h->entries[n - 1].weight += e.weight;
		else if (e.stack != UINT32_MAX)
			h->entries[n++] = e;
	}
	h->n = n;
}
