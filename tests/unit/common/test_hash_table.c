/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>

#include "common/hash_table.h"

#define KEYS 5000u

/* The id under which @key was added; UINT32_MAX: none. Keys are odd, and the id is half of one. */
static uint32_t find(const struct hash_table *t, uint64_t key)
{
	uint32_t hash = hash_table_hash(t, key, 0), id;

	for (size_t at = hash_table_first(t, hash); hash_table_id(t, &at, hash, &id); at = hash_table_next(t, at))
		if (id * 2u + 1 == key)
			return id;
	return UINT32_MAX;
}

static void fill(struct hash_table *t, bool reserve)
{
	for (uint32_t id = 0; id < KEYS; id++) {
		if (reserve)
			assert_int_equal(hash_table_reserve(t), 0);
		assert_int_equal(find(t, id * 2 + 1), UINT32_MAX);
		hash_table_add(t, hash_table_hash(t, id * 2 + 1, 0), id);
	}
	for (uint32_t id = 0; id < KEYS; id++)
		assert_int_equal(find(t, id * 2 + 1), id);
	assert_int_equal(find(t, 2 * KEYS + 1), UINT32_MAX);
}

TEST(growing)
{
	struct hash_table t = {0};

	fill(&t, true);
	hash_table_clear(&t);
	assert_int_equal(find(&t, 1), UINT32_MAX);
	fill(&t, true);
	hash_table_free(&t);
	assert_null(t.slots);
}

/* With all memory from the start: nothing moves, however many times it is filled. */
TEST(fixed)
{
	struct hash_table_slot *slots;
	struct hash_table t;

	assert_int_equal(hash_table_init(&t, KEYS), 0);
	slots = t.slots;
	for (int i = 0; i < 3; i++) {
		fill(&t, i % 2);
		assert_ptr_equal(t.slots, slots);
		hash_table_clear(&t);
	}
	hash_table_free(&t);
}

TEST(sizes)
{
	struct hash_table t;

	for (size_t n = 0; n < 5000; n++) {
		assert_int_equal(hash_table_init(&t, n), 0);
		assert_true((t.mask + 1) * 2 >= n * 3);
		assert_int_equal((t.mask + 1) & t.mask, 0);
		hash_table_free(&t);
	}
	assert_int_equal(hash_table_init(&t, SIZE_MAX), -ENOMEM);
}
