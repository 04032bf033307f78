/* SPDX-License-Identifier: BSD-2-Clause */
/* What is copied in a pause, and what is not. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "guest/capture.h"
#include "tests/sim/sim.h"

#define LINES 64

struct fixture {
	struct sim_domain d;
	struct guest *guest;
	struct pages *pages;
	struct capture *capture;
	uint64_t frame;
};

static void setup(struct fixture *f)
{
	f->frame = sim_space(&f->d);
	for (int i = 0; i < 300; i++)
		sim_space(&f->d);
	f->guest = sim_guest(&f->d);
	f->pages = pages_new(&hypervisor_backend.memory, f->guest, 400);
	f->capture = capture_new(f->pages, LINES);
}

static void teardown(struct fixture *f)
{
	capture_free(f->capture);
	pages_free(f->pages);
	assert_int_equal(f->d.mapped, 0);
	hypervisor_backend.guest.detach(f->guest);
	sim_free(&f->d);
}

static void set(struct fixture *f, uint64_t frame, uint32_t offset, uint64_t word)
{
	memcpy(f->d.memory[frame] + offset, &word, sizeof(word));
}

static int get(struct fixture *f, uint64_t frame, uint32_t offset, uint64_t *word)
{
	return capture_read(f->capture, frame, offset, word, sizeof(*word));
}

/* Puts lines on the list: one at @offset of each of @n frames. */
static void list(struct fixture *f, uint64_t frame, size_t n, uint32_t offset)
{
	for (size_t i = 0; i < n; i++)
		capture_want(f->capture, frame + i, offset);
	assert_true(capture_extend(f->capture) >= 0);
}

/* What is read is what was there at the copy, whatever the guest has done since. */
FIXTURE_TEST(reads_the_copy)
{
	uint64_t word;

	set(f, f->frame, 72, 1);
	assert_int_equal(get(f, f->frame, 72, &word), -EAGAIN);
	assert_int_equal(capture_extend(f->capture), 1);
	assert_int_equal(get(f, f->frame, 72, &word), -EAGAIN); /* listed, but not copied yet */
	capture_copy(f->capture);
	set(f, f->frame, 72, 2);
	assert_int_equal(get(f, f->frame, 72, &word), 0);
	assert_int_equal(word, 1);
	capture_copy(f->capture);
	assert_int_equal(get(f, f->frame, 72, &word), 0);
	assert_int_equal(word, 2);
}

/* Every line of a frame, in any order, ends up in its own place. */
FIXTURE_TEST(lines_keep_their_places)
{
	uint64_t word;

	for (uint32_t i = 0; i < 64; i++)
		set(f, f->frame, i * 64 + 8, 1000 + i);
	for (uint32_t i = 0; i < 64; i++) {
		list(f, f->frame, 1, (i * 29 % 64) * 64);
		assert_int_equal(capture_lines(f->capture), i + 1);
		capture_copy(f->capture);
		for (uint32_t k = 0; k <= i; k++) {
			assert_int_equal(get(f, f->frame, (k * 29 % 64) * 64 + 8, &word), 0);
			assert_int_equal(word, 1000 + k * 29 % 64);
		}
	}
}

/* A copy of a whole stack is on the list at once, beside what was there, and what is noted after it. */
FIXTURE_TEST(many_lines_are_listed_at_once)
{
	struct capture *c = capture_new(f->pages, 1024);
	uint64_t word;

	capture_want(c, f->frame + 20, 0);
	assert_int_equal(capture_extend(c), 1);
	for (uint64_t frame = f->frame; frame < f->frame + 5; frame++)
		for (uint32_t line = 0; line < 64; line++)
			capture_want(c, frame, line * CAPTURE_LINE);
	capture_want(c, f->frame + 21, 0);
	assert_int_equal(capture_extend(c), 5 * 64 + 1);
	assert_int_equal(capture_lines(c), 5 * 64 + 2);
	capture_copy(c);
	for (uint64_t frame = f->frame + 20; frame < f->frame + 22; frame++)
		assert_int_equal(capture_read(c, frame, 0, &word, sizeof(word)), 0);
	capture_free(c);
}

FIXTURE_TEST(unread_lines_leave_the_list)
{
	uint64_t word;

	list(f, f->frame, 10, 0);
	assert_int_equal(capture_lines(f->capture), 10);
	for (unsigned i = 0; i < 3 * CAPTURE_EPOCH; i++) {
		capture_copy(f->capture);
		assert_int_equal(get(f, f->frame + 3, 0, &word), 0);
		capture_age(f->capture);
	}
	assert_int_equal(capture_lines(f->capture), 1);
	capture_copy(f->capture);
	assert_int_equal(get(f, f->frame + 3, 0, &word), 0);
	assert_int_equal(get(f, f->frame + 4, 0, &word), -EAGAIN);
}

/* However much walks want, the list is bounded, and the newest wishes are on it. */
FIXTURE_TEST(the_list_is_bounded)
{
	uint64_t word;

	for (uint64_t i = 0; i < 30; i++) {
		list(f, f->frame + i * 10, 10, 128);
		assert_in_range(capture_lines(f->capture), 10, LINES);
		capture_copy(f->capture);
		for (uint64_t k = 0; k < 10; k++)
			assert_int_equal(get(f, f->frame + i * 10 + k, 128, &word), 0);
	}
	list(f, f->frame, 300, 0);
	assert_in_range(capture_lines(f->capture), 1, LINES);
}

FIXTURE_TEST(live_reads_need_no_list)
{
	uint64_t word;

	set(f, f->frame, 0, 1);
	capture_set_live(f->capture, true);
	assert_int_equal(get(f, f->frame, 0, &word), -EAGAIN); /* not mapped */
	capture_extend(f->capture);
	assert_int_equal(get(f, f->frame, 0, &word), 0);
	assert_int_equal(word, 1);
	set(f, f->frame, 0, 2);
	assert_int_equal(get(f, f->frame, 0, &word), 0);
	assert_int_equal(word, 2);
	assert_int_equal(get(f, f->frame, 640, &word), 0); /* not listed */
	capture_set_live(f->capture, false);
	assert_int_equal(get(f, f->frame, 640, &word), -EAGAIN);
	assert_int_equal(capture_extend(f->capture), 1);
}

/* The pages that the list points into are gone: nothing of them is touched. */
FIXTURE_TEST(unmapped_pages)
{
	uint64_t word;

	list(f, f->frame, 5, 0);
	pages_drop(f->pages);
	capture_copy(f->capture);
	assert_int_equal(get(f, f->frame, 0, &word), -EAGAIN);
	assert_int_equal(capture_lines(f->capture), 0);
	assert_int_equal(capture_extend(f->capture), 1);
	capture_copy(f->capture);
	assert_int_equal(get(f, f->frame, 0, &word), 0);
}

FIXTURE_TEST(refused_frame)
{
	uint64_t word;

	f->d.refused = f->frame;
	assert_int_equal(get(f, f->frame, 0, &word), -EAGAIN);
	capture_extend(f->capture);
	capture_copy(f->capture);
	assert_int_equal(get(f, f->frame, 0, &word), -EIO);
	assert_int_equal(capture_lines(f->capture), 0);
}
