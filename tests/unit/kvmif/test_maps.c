/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a guest's memory may be: the mappings of a process, and the candidates that they give. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "kvmif/memory/maps.h"

#define MIB 0x100000ull
#define GIB 0x40000000ull
#define HOST 0x7f0000000000ull

static int read_text(const char *text, struct mapping mappings[MAPPINGS_MAX])
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int n;

	assert_non_null(f);
	n = maps_read(f, mappings);
	fclose(f);
	return n;
}

TEST(the_largest_mappings_are_found)
{
	static const char text[] =
		"10000000-20000000 r-xp 00000000 fe:00 42                         /usr/bin/monitor\n"
		"20000000-20080000 rw-p 00010000 fe:00 42                         /usr/bin/monitor\n"
		"30000000-30200000 rw-p 00000000 00:00 0                          [heap]\n"
		"7f0000000000-7f0004000000 rw-s 00000000 00:01 1024               /memfd:guest (deleted)\n"
		"7f1000000000-7f1040000000 rw-p 00000000 00:00 0 \n"
		"7f2000000000-7f2100000000 ---p 00000000 00:00 0 \n"
		"7f3000000000-7f3000400000 rw-p 00000000 00:00 0                  [anon:ram]\n"
		"7f4000000000-7f4010000000 rw-s 00000000 00:10 7                  anon_inode:kvm-vcpu:0\n"
		"7f5000000000-7f5010000000 rw-s 00000000 00:05 9                  /dev/vfio/12\n"
		"7ffe00000000-7ffe00800000 rw-p 00000000 00:00 0                  [stack]\n"
		"not a line\n";
	struct mapping m[MAPPINGS_MAX];

	assert_int_equal(read_text(text, m), 3);
	assert_true(m[0].address == 0x7f1000000000 && m[0].size == GIB);
	assert_true(m[1].address == 0x7f0000000000 && m[1].size == 64 * MIB);
	assert_true(m[2].address == 0x7f3000000000 && m[2].size == 4 * MIB);
}

/* A monitor may have split one, and neighbours may be two: they count both ways. */
TEST(neighbours_are_found_together_and_apart)
{
	static const char text[] = "7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n"
				   "7f0000100000-7f0000400000 rw-p 00000000 00:00 0 \n"
				   "7f0000400000-7f0000600000 rw-s 00000000 00:01 5 /memfd:guest (deleted)\n";
	struct mapping m[MAPPINGS_MAX];

	assert_int_equal(read_text(text, m), 4);
	assert_true(m[0].address == 0x7f0000000000 && m[0].size == 4 * MIB);
	assert_true(m[1].address == 0x7f0000100000 && m[1].size == 3 * MIB);
	assert_true(m[2].address == 0x7f0000400000 && m[2].size == 2 * MIB);
	assert_true(m[3].address == 0x7f0000000000 && m[3].size == MIB);
}

/* Only the largest few. */
TEST(many_mappings_are_no_harm)
{
	struct mapping m[MAPPINGS_MAX];
	char text[4096];
	size_t n = 0;

	for (unsigned i = 1; i <= 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%x0000000-%x%07x rw-p 00000000 00:00 0 \n", i, i,
		                      (i * 7 % 41) << 20);
	assert_int_equal(read_text(text, m), MAPPINGS_MAX);
	for (unsigned i = 0; i < MAPPINGS_MAX; i++)
		assert_int_equal(m[i].size, (40 - i) * MIB);
}

static bool has(const struct candidate *all, size_t n, const struct candidate *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].nslots == wanted->nslots &&
		    memcmp(all[i].slots, wanted->slots, wanted->nslots * sizeof(*wanted->slots)) == 0)
			return true;
	return false;
}

TEST(candidates_are_what_monitors_do)
{
	const struct mapping small = {HOST, 64 * MIB}, large = {HOST, 6 * GIB};
	const struct mapping two[] = {{HOST, 5 * GIB}, {HOST + 8 * GIB, 3 * GIB}};
	const struct candidate whole = {{{0, 64 * MIB, HOST}}, 1};
	const struct candidate split = {{{0, 2 * GIB, HOST}, {4 * GIB, 4 * GIB, HOST + 2 * GIB}}, 2};
	const struct candidate reversed = {{{0, 3 * GIB, HOST + 3 * GIB}, {4 * GIB, 3 * GIB, HOST}}, 2};
	const struct candidate pair = {{{0, 3 * GIB, HOST + 8 * GIB}, {4 * GIB, 5 * GIB, HOST}}, 2};
	struct candidate all[CANDIDATES_MAX];
	struct mapping most[MAPPINGS_MAX];
	size_t n = maps_candidates(&small, 1, all);

	assert_int_equal(n, 1);
	assert_true(has(all, n, &whole));
	/* More than 4 GiB must have a hole. */
	n = maps_candidates(&large, 1, all);
	assert_true(has(all, n, &split) && has(all, n, &reversed));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(all[i].nslots, 2);
	n = maps_candidates(two, 2, all);
	assert_true(has(all, n, &pair));
	for (size_t i = 0; i < MAPPINGS_MAX; i++)
		most[i] = (struct mapping){HOST + i * 8 * GIB, 4 * GIB - MIB};
	assert_in_range(maps_candidates(most, MAPPINGS_MAX, all), 1, CANDIDATES_MAX);
}

/* As QEMU has NUMA nodes: one after the other, in whatever order they were mapped, and the hole in any of them. */
TEST(regions_follow_each_other)
{
	const uint64_t size = 768 * MIB, b = HOST + 4 * GIB, c = HOST + 8 * GIB, d = HOST + 12 * GIB;
	const struct mapping nodes[] = {{c, size}, {HOST, size}, {d, size}, {b, size}};
	const struct candidate three = {{{0, size, HOST}, {size, size, b}, {2 * size, size, c}}, 3};
	const struct candidate four = {{{0, size, HOST},
	                                {size, size, b},
	                                {2 * size, 512 * MIB, c},
	                                {4 * GIB, 256 * MIB, c + 512 * MIB},
	                                {4 * GIB + 256 * MIB, size, d}},
	                               5};
	struct candidate *all = calloc(SEQUENCES_MAX, sizeof(*all));
	struct mapping most[MAPPINGS_MAX];
	size_t n = maps_sequences(nodes, 4, all);

	assert_true(has(all, n, &three) && has(all, n, &four));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 1; j < all[i].nslots; j++)
			assert_true(all[i].slots[j - 1].address + all[i].slots[j - 1].size <= all[i].slots[j].address);
	assert_int_equal(maps_sequences(nodes, 1, all), 0);
	for (size_t i = 0; i < MAPPINGS_MAX; i++)
		most[i] = (struct mapping){HOST + i * 8 * GIB, 4 * GIB - 2 * MIB};
	assert_in_range(maps_sequences(most, MAPPINGS_MAX, all), 1, SEQUENCES_MAX);
	for (size_t i = 0; i < MAPPINGS_MAX; i++)
		most[i].size = GIB - 2 * MIB;
	assert_in_range(maps_sequences(most, MAPPINGS_MAX, all), 1, SEQUENCES_MAX);
	for (size_t i = 0; i < MAPPINGS_MAX; i++)
		most[i].size = GIB - MIB;
	assert_int_equal(maps_sequences(most, MAPPINGS_MAX, all), 0);
	free(all);
}
