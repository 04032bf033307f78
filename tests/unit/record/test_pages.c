/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of mapped pages: what is found, what is asked for, and that every page mapped is unmapped once. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "guest/pages.h"

#define FRAMES 256u

struct guest {
	uint8_t page[FRAMES];
	bool mapped[FRAMES], refused[FRAMES];
	size_t maps;
};

static int map(struct guest *g, const uint64_t *frames, size_t n, const void **pages)
{
	g->maps++;
	for (size_t i = 0; i < n; i++) {
		uint64_t f = frames[i];

		assert_true(f < FRAMES && !g->mapped[f]);
		g->mapped[f] = !g->refused[f];
		pages[i] = g->refused[f] ? NULL : &g->page[f];
	}
	return 0;
}

static void unmap(struct guest *g, const void *page)
{
	size_t f = (size_t)((const uint8_t *)page - g->page);

	assert_true(g->mapped[f]);
	g->mapped[f] = false;
}

static const struct memory_ops ops = {.map = map, .unmap = unmap};

static void expect(struct pages *p, struct guest *g, uint64_t frame, int rc)
{
	const void *page = NULL;

	assert_int_equal(pages_find(p, frame, &page), rc);
	assert_ptr_equal(page, rc == 0 ? &g->page[frame] : NULL);
}

TEST(found_after_fill)
{
	struct guest g = {0};
	struct pages *p = pages_new(&ops, &g, 200);

	for (uint64_t f = 0; f < 150; f++) {
		expect(p, &g, f, -EAGAIN);
		expect(p, &g, f, -EAGAIN);
		assert_int_equal(pages_fill(p), 1);
	}
	for (uint64_t f = 0; f < 150; f++)
		expect(p, &g, f, 0);
	assert_int_equal(pages_mapped(p), 150);
	assert_int_equal(g.maps, 150);
	pages_free(p);
	for (unsigned f = 0; f < FRAMES; f++)
		assert_false(g.mapped[f]);
}

TEST(refusals_are_retried)
{
	struct guest g = {.refused = {[3] = true, [5] = true}};
	struct pages *p = pages_new(&ops, &g, 100);

	for (uint64_t f = 0; f < 10; f++)
		expect(p, &g, f, -EAGAIN);
	assert_int_equal(pages_fill(p), 8);
	expect(p, &g, 3, -EIO);
	g.refused[3] = false;
	pages_retry(p);
	for (uint64_t f = 0; f < 10; f++)
		expect(p, &g, f, f == 3 || f == 5 ? -EAGAIN : 0);
	assert_int_equal(pages_fill(p), 1);
	expect(p, &g, 3, 0);
	expect(p, &g, 5, -EIO);
	assert_int_equal(pages_mapped(p), 9);
	pages_free(p);
	for (unsigned f = 0; f < FRAMES; f++)
		assert_false(g.mapped[f]);
}

/* More pages wanted at once than are kept. */
TEST(small_limit)
{
	struct guest g = {0};
	struct pages *p = pages_new(&ops, &g, 8);

	for (int round = 0; round < 3; round++) {
		for (uint64_t f = 0; f < 100; f++)
			expect(p, &g, f + 100, f < 64 && round ? 0 : -EAGAIN);
		pages_fill(p);
		pages_drop(p);
		for (uint64_t f = 0; f < 64; f++)
			expect(p, &g, f + 100, -EAGAIN);
		assert_int_equal(pages_fill(p), 64);
	}
	assert_int_equal(pages_most(p), 64);
	pages_free(p);
}
