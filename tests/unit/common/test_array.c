/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

TEST(elements_stay)
{
	size_t *list = NULL, cap = 0, grown = 0;

	for (size_t i = 0; i < 10000; i++) {
		size_t before = cap;

		assert_int_equal(array_room(&list, &cap, i, sizeof(*list)), 0);
		assert_true(cap > i);
		grown += cap != before;
		list[i] = i;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(list[i], i);
	assert_true(grown < 12);
	free(list);
}

TEST(too_large)
{
	static const size_t sizes[] = {0, 1, 2, 3, 24, 1000, SIZE_MAX / 2, SIZE_MAX};
	char *list = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < COUNT(sizes); i++)
		assert_int_equal(array_room(&list, &cap, SIZE_MAX, sizes[i]), -ENOMEM);
	assert_int_equal(array_room(&list, &cap, SIZE_MAX / 24, 24), -ENOMEM);
	assert_int_equal(array_room(&list, &cap, 1, SIZE_MAX), -ENOMEM);
	assert_null(list);
	assert_int_equal(cap, 0);
}

TEST(one_more)
{
	struct pair {
		int a, b;
	} *list = NULL;
	size_t cap = 0;
	uint32_t n = 0;

	for (int i = 0; i < 1000; i++)
		assert_int_equal(array_add(list, cap, n, (struct pair){i, -i}), 0);
	assert_int_equal(n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_true(list[i].a == i && list[i].b == -i);
	free(list);
}

TEST(bytes)
{
	struct buf b = {0};

	assert_int_equal(buf_add(&b, "", 0), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(buf_add(&b, "abc", 3), 0);
	assert_int_equal(b.len, 3000);
	assert_memory_equal(b.data + 2997, "abc", 3);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -ENOMEM);
	assert_int_equal(buf_reserve(&b, SIZE_MAX - b.len), -ENOMEM);
	assert_int_equal(b.len, 3000);
	assert_true(b.failed);
	assert_int_equal(buf_add(&b, "abc", 3), -ENOMEM);
	assert_int_equal(b.len, 3000);
	buf_free(&b);
	assert_null(b.data);
	assert_false(b.failed);
}

/* Every length, and every number of elements before what is searched for. */
TEST(search)
{
	for (size_t n = 0; n < 40; n++) {
		for (size_t limit = 0; limit <= n; limit++) {
			size_t looks = 0, i;

			ARRAY_SEARCH(i, n, (looks++, i < limit));
			assert_int_equal(i, limit);
			assert_true(looks <= 6);
		}
	}
}
