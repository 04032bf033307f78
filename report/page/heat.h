/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat.h - the data of a heat map: the weights of stacks in cells of time. Cells are short at first, and become longer
 * when there are too many; how many make a column is chosen at the end, so that the columns fill a picture.
 */
#ifndef REPORT_PAGE_HEAT_H
#define REPORT_PAGE_HEAT_H

#include "common/hash_array.h"

#define HEAT_COLUMNS_MIN 40u /* if samples are close enough */
#define HEAT_COLUMNS_MAX 300u
#define HEAT_ROWS_MAX 50u
#define HEAT_CELLS_MAX 100000u /* before they are made longer */
#define HEAT_ENTRIES_MAX 1000000u

/* How much of a stack was seen in a cell. */
struct heat_entry {
	uint32_t cell; /* rows * column + row */
	uint32_t stack;
	uint64_t weight;
};

/* heat_init() first, heat_free() at the end. */
struct heat {
	uint64_t origin_ns; /* where cell 0 begins */
	uint64_t cell_ns;
	uint32_t rows;  /* cells of a column; heat_finish() chooses */
	uint32_t cells; /* above every entry's */
	HASH_ARRAY(struct heat_entry, entries, n, by_place);
	size_t most; /* entries before cells are made longer */
};

/*
 * For times from @from_ns on. Cells hold a few rounds at least; @rate_mhz: rounds a second, in millihertz. They begin at
 * multiples of the first h->cell_ns, also when they have become longer.
 */
void heat_init(struct heat *h, uint64_t rate_mhz, uint64_t from_ns);
void heat_free(struct heat *h);
/* A sample of @stack, a number below @nstacks, at @time_ns, weighs @weight. Entries stay below HEAT_ENTRIES_MAX, or
 * twice @nstacks. 0 or a negative errno. */
int heat_add(struct heat *h, uint64_t time_ns, uint64_t weight, uint32_t stack, size_t nstacks);
/*
 * Sorts the entries by cell and stack, in columns for times up to @to_ns, and beyond as far as there are any. Stack @n
 * gets the number @called[@n]; those of one number become one. UINT32_MAX: it is dropped.
 */
void heat_finish(struct heat *h, uint64_t to_ns, const uint32_t *called);

#endif
