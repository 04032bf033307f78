/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat.h - the data of a heat map: the weights of stacks in cells of time. A column of cells is one second at first,
 * its rows are parts of the second. The size is bounded: when the map is full, cells become twice as long.
 */
#ifndef REPORT_PAGE_HEAT_H
#define REPORT_PAGE_HEAT_H

#include "common/hash_table.h"

#define HEAT_COLUMNS_MAX 1800u /* half an hour of seconds */
#define HEAT_ENTRIES_MAX 1000000u

/* How much of a stack was seen in a cell. */
struct heat_entry {
	uint32_t cell; /* rows * column + row */
	uint32_t stack;
	uint64_t weight;
};

/* heat_init() first, heat_free() at the end. */
struct heat {
	uint64_t cell_ns;
	uint32_t rows;  /* cells of a column */
	uint32_t cells; /* above every entry's */
	struct heat_entry *entries;
	size_t n, cap;
	size_t most; /* entries before cells are made longer */
	struct hash_table index;
};

/* Rows so that a cell holds a few rounds; @rate_mhz: rounds a second, in millihertz. */
void heat_init(struct heat *h, uint64_t rate_mhz);
void heat_free(struct heat *h);
/* A sample of @stack, a number below @nstacks, at @time_ns, weighs @weight. Entries stay below HEAT_ENTRIES_MAX, or
 * twice @nstacks. 0 or a negative errno. */
int heat_add(struct heat *h, uint64_t time_ns, uint64_t weight, uint32_t stack, size_t nstacks);
/* Sorts the entries by cell and stack. Stack @n gets the number @called[@n]; UINT32_MAX: it is dropped. */
void heat_finish(struct heat *h, const uint32_t *called);

#endif
