/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "common/hash_array.h"

#define ELEMENTS 5000u

/* A key of 20 bytes, with padding behind it. */
struct thing {
	uint64_t a, b;
	uint32_t c;
	uint64_t value;
};

struct things {
	HASH_ARRAY(struct thing, of, n, by_key);
};

/* Keys that differ in one of their members each. */
static struct thing thing(uint32_t i)
{
	return (struct thing){i % 3 == 0 ? i : 1, i % 3 == 1 ? i : 2, i % 3 == 2 ? i : 0, i * 10u};
}

static void fill(struct things *t)
{
	uint32_t id;

	for (uint32_t i = 0; i < ELEMENTS; i++) {
		const struct thing x = thing(i + 10);

		assert_false(hash_array_find(&t->by_key, &id, c, &x));
		assert_int_equal(hash_array_add(&t->by_key, &id, c, &x), 0);
		assert_int_equal(id, i);
		assert_int_equal(t->n, i + 1);
	}
}

TEST(each_key_once)
{
	struct things t = {0};
	uint32_t id;

	fill(&t);
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		struct thing x = thing(i + 10);

		x.value = 1; /* is no part of the key */
		assert_true(hash_array_find(&t.by_key, &id, c, &x));
		assert_int_equal(id, i);
		assert_int_equal(hash_array_add(&t.by_key, &id, c, &x), 0);
		assert_int_equal(id, i);
		assert_int_equal(t.of[i].value, (i + 10) * 10);
	}
	assert_int_equal(t.n, ELEMENTS);
	hash_array_free(&t.by_key);
	assert_null(t.of);
	assert_int_equal(t.n, 0);
}

TEST(emptied)
{
	struct things t = {0};
	uint32_t id;

	hash_array_clear(&t.by_key);
	fill(&t);
	hash_array_clear(&t.by_key);
	assert_int_equal(t.n, 0);
	fill(&t);
	hash_array_free(&t.by_key);
	assert_false(hash_array_find(&t.by_key, &id, c, &(struct thing){0}));
	hash_array_free(&t.by_key);
}

/* Keys of every size: the last byte counts, and the one behind it does not. */
TEST(sizes)
{
	for (size_t key = 1; key <= 40; key++) {
		struct hash_array a = {0};
		uint8_t x[41] = {0};
		uint32_t id;

		for (unsigned i = 0; i < 200; i++) {
			x[key - 1] = (uint8_t)i;
			x[key] = 1;
			assert_int_equal(hash_array_add_key(&a, x, sizeof(x), key, &id), 0);
			assert_int_equal(id, i);
			x[key] = 2;
			assert_true(hash_array_find_key(&a, x, sizeof(x), key, &id));
			assert_int_equal(id, i);
		}
		hash_array_free(&a);
	}
}

/* Each bit of the key changes the hash, or else chosen keys could all have one. */
TEST(hashes_differ)
{
	struct hash_array a = {.table = {.seed = 12345}};
	uint8_t x[40] = {0};
	const uint32_t none = hash_array_hash(&a, x, sizeof(x));

	for (size_t i = 0; i < 8 * sizeof(x); i++) {
		x[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_int_not_equal(hash_array_hash(&a, x, sizeof(x)), none);
		x[i / 8] ^= (uint8_t)(1u << i % 8);
	}
}

TEST(full)
{
	struct hash_array a = {.n = UINT32_MAX - 1};
	uint32_t id;

	assert_int_equal(hash_array_add_key(&a, "x", 1, 1, &id), -EOVERFLOW);
	assert_int_equal(a.table.used, 0);
	hash_array_free(&a);
}
