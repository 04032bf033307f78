/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maps.h - where a guest's memory may be, by its monitor's mappings: /proc/PID/maps, and how monitors lay out the
 * memory below and above the hole that ends at 4 GiB. These are only candidates, to be checked (search.h).
 */
#ifndef KVMIF_MEMORY_MAPS_H
#define KVMIF_MEMORY_MAPS_H

#include <stdio.h>

#include "kvmif/memory/layout.h"

#define MAPPINGS_MAX 6 /* the largest */
#define REGIONS_MAX 4  /* one after the other, such as of NUMA nodes */
#define CANDIDATE_SLOTS (REGIONS_MAX + 1)

struct mapping {
	uint64_t address, size; /* bytes; in the monitor */
};

struct candidate {
	struct memory_slot slots[CANDIDATE_SLOTS]; /* by ascending address */
	size_t nslots;
};

/* Of each mapping whole or split, in either order, and of each pair. */
#define CANDIDATES_MAX (MAPPINGS_MAX * 11 + MAPPINGS_MAX * (MAPPINGS_MAX - 1))

/* Of two to REGIONS_MAX mappings in any order, whole or split. */
#define SEQUENCES_MAX ((6 * 5 + 6 * 5 * 4 + 6 * 5 * 4 * 3) * 6)
_Static_assert(MAPPINGS_MAX == 6 && REGIONS_MAX == 4, "SEQUENCES_MAX counts them");

/*
 * The largest writable mappings of @pid that can be a guest's memory, the largest first. How many, or a negative errno.
 */
int maps_of(pid_t pid, struct mapping mappings[MAPPINGS_MAX]);
/* The same of text as that of /proc/PID/maps. */
int maps_read(FILE *f, struct mapping mappings[MAPPINGS_MAX]);
/* Memory in one mapping, or in one below the hole and one above it. How many, in @all. */
size_t maps_candidates(const struct mapping *mappings, size_t n, struct candidate all[CANDIDATES_MAX]);
/* Memory in several mappings, whichever of them the hole is in. How many, in @all. */
size_t maps_sequences(const struct mapping *mappings, size_t n, struct candidate all[SEQUENCES_MAX]);

#endif
