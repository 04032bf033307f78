/* SPDX-License-Identifier: BSD-2-Clause */
#include "kvmif/memory/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MIN 0x100000u /* of a guest's memory */
#define FOUR_GIB 0x100000000ull
#define REGION_UNIT 0x200000u /* of several regions each is a multiple: by chance, other mappings are seldom */

/*
 * Where memory below 4 GiB ends if there is more: QEMU's q35 (2 GiB; 2.75 GiB is its limit without a split), QEMU's
 * pc and cloud-hypervisor (3 GiB), Firecracker and kvmtool (3.25 GiB), QEMU's microvm and pc (3.5 GiB).
 */
static const uint64_t splits[] = {0x80000000, 0xb0000000, 0xc0000000, 0xd0000000, 0xe0000000};
#define SPLITS (sizeof(splits) / sizeof(*splits))
_Static_assert(CANDIDATES_MAX >= MAPPINGS_MAX * (1 + 2 * SPLITS) + MAPPINGS_MAX * (MAPPINGS_MAX - 1), "room for all");
_Static_assert(SPLITS + 1 == 6, "SEQUENCES_MAX counts them");

/* A line of /proc/PID/maps. */
struct line {
	uint64_t start, end, inode;
	char perms[5];
	char name[256];
};

static bool parse(const char *text, struct line *l)
{
	l->name[0] = '\0';
	return sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64 " %255[^\n]", &l->start, &l->end, l->perms,
	              &l->inode, l->name) >= 4;
}

static bool can_be_memory(const struct line *l)
{
	return l->perms[0] == 'r' && l->perms[1] == 'w' && (l->name[0] != '[' || strncmp(l->name, "[anon", 5) == 0) &&
	       !strstr(l->name, "anon_inode:") && strncmp(l->name, "/dev/vfio", 9) != 0;
}

/* Neighbours of one file, or of none, can be one mapping that was split, or several. */
static bool goes_on(const struct line *a, const struct line *b)
{
	return a->end == b->start && a->inode == b->inode && a->perms[3] == b->perms[3];
}

/* Keeps the largest, by descending size. */
static size_t keep_largest(struct mapping *all, size_t n, const struct mapping *m)
{
	size_t at = n;

	if (m->size < SIZE_MIN)
		return n;
	while (at > 0 && all[at - 1].size < m->size)
		at--;
	if (at == MAPPINGS_MAX)
		return n;
	if (n < MAPPINGS_MAX)
		n++;
	memmove(&all[at + 1], &all[at], (n - 1 - at) * sizeof(*all));
	all[at] = *m;
	return n;
}

static size_t keep_run(struct mapping *all, size_t n, const struct mapping *run, size_t pieces)
{
	return pieces > 1 ? keep_largest(all, n, run) : n;
}

int maps_read(FILE *f, struct mapping mappings[MAPPINGS_MAX])
{
	struct line line, last = {0};
	struct mapping run = {0};
	size_t n = 0, pieces = 0;
	char text[4352];

	while (fgets(text, sizeof(text), f)) {
		if (!parse(text, &line) || !can_be_memory(&line))
			continue;
		if (goes_on(&last, &line)) {
			run.size += line.end - line.start;
		} else {
			n = keep_run(mappings, n, &run, pieces);
			run = (struct mapping){line.start, line.end - line.start};
			pieces = 0;
		}
		n = keep_largest(mappings, n, &(struct mapping){line.start, line.end - line.start});
		pieces++;
		last = line;
	}
	return (int)keep_run(mappings, n, &run, pieces);
}

int maps_of(pid_t pid, struct mapping mappings[MAPPINGS_MAX])
{
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	n = maps_read(f, mappings);
	fclose(f);
	return n;
}

/* --- candidates -------------------------------------------------------------------------------------------------- */

static size_t add_candidate(struct candidate *all, size_t n, uint64_t low, uint64_t low_size, uint64_t high,
                            uint64_t high_size)
{
	all[n].nslots = high_size ? 2 : 1;
	all[n].slots[0] = (struct memory_slot){0, low_size, low};
	all[n].slots[1] = (struct memory_slot){FOUR_GIB, high_size, high};
	return n + 1;
}

/* Two that were mapped one after the other may have become one mapping, the first of them at higher addresses. */
static size_t add_splits(struct candidate *all, size_t n, const struct mapping *m)
{
	for (size_t i = 0; i < SPLITS && splits[i] < m->size; i++) {
		uint64_t low = splits[i], high = m->size - low;

		n = add_candidate(all, n, m->address, low, m->address + low, high);
		n = add_candidate(all, n, m->address + high, low, m->address, high);
	}
	return n;
}

size_t maps_candidates(const struct mapping *mappings, size_t nmappings, struct candidate all[CANDIDATES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < nmappings; i++) {
		const struct mapping *m = &mappings[i];

		if (m->size < FOUR_GIB)
			n = add_candidate(all, n, m->address, m->size, 0, 0);
		n = add_splits(all, n, m);
		for (size_t j = 0; j < nmappings && m->size < FOUR_GIB; j++)
			if (j != i)
				n = add_candidate(all, n, m->address, m->size, mappings[j].address, mappings[j].size);
	}
	return n;
}

/* Of the @count mappings @of, one after the other, with the hole at @limit. */
static size_t add_sequence(struct candidate *all, size_t n, const struct mapping *const *of, size_t count,
                           uint64_t limit)
{
	struct candidate *c = &all[n];
	uint64_t at = 0;

	c->nslots = 0;
	for (size_t i = 0; i < count; at += of[i++]->size) {
		const uint64_t host = of[i]->address, size = of[i]->size, room = at < limit ? limit - at : 0;
		const uint64_t low = room < size ? room : size;

		if (low)
			c->slots[c->nslots++] = (struct memory_slot){at, low, host};
		if (low < size)
			c->slots[c->nslots++] =
				(struct memory_slot){FOUR_GIB + at + low - limit, size - low, host + low};
	}
	return n + 1;
}

static size_t add_limits(struct candidate *all, size_t n, const struct mapping *const *of, size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += of[i]->size;
	if (size < FOUR_GIB)
		n = add_sequence(all, n, of, count, FOUR_GIB);
	for (size_t i = 0; i < SPLITS && splits[i] < size; i++)
		n = add_sequence(all, n, of, count, splits[i]);
	return n;
}

static bool is_candidate(const struct mapping *m, const struct mapping *const *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (of[i] == m)
			return true;
	return false;
}

/* All that begin with the @count mappings @of. */
static size_t add_longer(struct candidate *all, size_t n, const struct mapping *mappings, size_t nmappings,
                         const struct mapping **of, size_t count)
{
	for (size_t i = 0; count < REGIONS_MAX && i < nmappings; i++) {
		if (mappings[i].size % REGION_UNIT || is_candidate(&mappings[i], of, count))
			continue;
		of[count] = &mappings[i];
		if (count > 0)
			n = add_limits(all, n, of, count + 1);
		n = add_longer(all, n, mappings, nmappings, of, count + 1);
	}
	return n;
}

size_t maps_sequences(const struct mapping *mappings, size_t nmappings, struct candidate all[SEQUENCES_MAX])
{
	const struct mapping *of[REGIONS_MAX];

	return add_longer(all, 0, mappings, nmappings, of, 0);
}
