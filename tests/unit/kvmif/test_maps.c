/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a guest's memory may be: mappings of a process, here of this one, and the candidates that they give. */
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvmif/maps.h"

#define MIB 0x100000ull
#define GIB 0x40000000ull
#define HOST 0x7f0000000000ull

static const struct mapping *find(const struct mapping *all, int n, const void *address)
{
	for (int i = 0; i < n; i++)
		if (all[i].address == (uintptr_t)address)
			return &all[i];
	return NULL;
}

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

/* Inaccessible pages around it keep it apart from others. */
static void the_largest_mappings_are_found(void **state)
{
	const size_t size = 64 * GIB, all = size + 4 * MIB;
	struct mapping m[MAPPINGS_MAX];
	char *room = reserve(all), *memory = room + 2 * MIB;
	int n;

	(void)state;
	assert_int_equal(mprotect(memory, size, PROT_READ | PROT_WRITE), 0);
	n = maps_read(getpid(), m);
	assert_in_range(n, 1, MAPPINGS_MAX);
	assert_int_equal(m[0].address, (uintptr_t)memory);
	assert_int_equal(m[0].size, size);
	for (int i = 1; i < n; i++)
		assert_true(m[i].size <= m[i - 1].size);
	/* Not to be written: no memory. */
	assert_int_equal(mprotect(memory, size, PROT_READ), 0);
	assert_null(find(m, maps_read(getpid(), m), memory));
	munmap(room, all);
}

/* A monitor may have split one, and neighbours may be two: they count both ways. */
static void neighbours_are_found_together_and_apart(void **state)
{
	const size_t size = 64 * GIB, all = 2 * size + 4 * MIB;
	struct mapping m[MAPPINGS_MAX];
	char *room = reserve(all), *memory = room + 2 * MIB;
	int n;

	(void)state;
	assert_int_equal(mprotect(memory, 2 * size, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(madvise(memory + size, size, MADV_DONTFORK), 0);
	n = maps_read(getpid(), m);
	assert_non_null(find(m, n, memory));
	assert_int_equal(find(m, n, memory)->size, 2 * size);
	assert_int_equal(m[1].size, size);
	assert_non_null(find(m, n, memory + size));
	assert_int_equal(find(m, n, memory + size)->size, size);
	munmap(room, all);
}

static bool has(const struct candidate *all, size_t n, const struct candidate *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].nslots == wanted->nslots &&
		    memcmp(all[i].slots, wanted->slots, wanted->nslots * sizeof(*wanted->slots)) == 0)
			return true;
	return false;
}

static void candidates_are_what_monitors_do(void **state)
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

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_mappings_are_found),
		cmocka_unit_test(neighbours_are_found_together_and_apart),
		cmocka_unit_test(candidates_are_what_monitors_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
