/* SPDX-License-Identifier: BSD-2-Clause */
/* The newest blocks in memory: what is dropped, and what is written of the rest. */
#include "tests/unit/format/trace.h"

#include "record/output/flight_recorder.h"

#define SECOND 1000000000ull
#define KEPT_MAX 64

struct trace {
	struct bytes bytes;
	struct upf_totals totals;
	uint64_t first_ns[KEPT_MAX]; /* of its blocks */
	unsigned n;
};

/* Block @i: a round at second @i, with @i + 1 counted as late. */
static void add(struct flight_recorder *r, uint64_t i)
{
	const uint64_t frames[] = {0x2000 + i, 0x1000};
	const struct upf_sample sample = {.end = UPF_END_ROOT, .frames = frames, .depth = 2};
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	const struct upf_totals totals = {.rounds = 1, .samples = 1, .late = i + 1};

	assert_non_null(e);
	upf_encoder_reset(e, SECOND);
	assert_int_equal(upf_encode_round(e, 0, i * SECOND, 1000, &sample, 1), 0);
	assert_int_equal(flight_recorder_add(r, e, &totals), 0);
	upf_encoder_free(e);
}

static void write_trace(const struct flight_recorder *r, struct trace *t)
{
	struct upf_writer *w;
	struct upf_reader *reader;
	enum upf_fault fault;
	struct upf_block b;
	int fd;

	memset(t, 0, sizeof(*t));
	w = upf_writer_new(&some_session, collect, &t->bytes);
	assert_int_equal(flight_recorder_write(r, w, &t->totals), 0);
	assert_int_equal(upf_writer_finish(w, &t->totals, UPF_REASON_DUMP), 0);
	upf_writer_free(w);
	fd = file_of(t->bytes.data, t->bytes.len);
	reader = upf_reader_open(fd, &fault, NULL);
	while (upf_reader_next(reader, &b) == 1) {
		assert_int_equal(b.fault, UPF_OK);
		if (b.type == UPF_BLOCK_SAMPLES)
			t->first_ns[t->n++] = b.first_ns;
	}
	upf_reader_close(reader);
	close(fd);
	free(t->bytes.data);
}

TEST(none)
{
	struct flight_recorder *r = flight_recorder_new(1 << 20, 0);
	struct trace t;

	assert_non_null(r);
	assert_int_equal(flight_recorder_first_ns(r), 0);
	write_trace(r, &t);
	assert_int_equal(t.n, 0);
	flight_recorder_free(r);
	flight_recorder_free(NULL);
}

TEST(within_a_time)
{
	struct flight_recorder *r = flight_recorder_new(64 << 20, 5 * SECOND);
	struct trace t;

	for (uint64_t i = 0; i < 20; i++)
		add(r, i);
	/* Blocks of seconds 14 to 19: without the first of these, less than 5 s would be left. */
	assert_int_equal(flight_recorder_first_ns(r), 14 * SECOND);
	write_trace(r, &t);
	assert_int_equal(t.n, 6);
	for (unsigned i = 0; i < t.n; i++)
		assert_int_equal(t.first_ns[i], i * SECOND);
	assert_int_equal(t.totals.samples, 6);
	assert_int_equal(t.totals.late, 15 + 16 + 17 + 18 + 19 + 20);
	/* Writing takes nothing away. */
	write_trace(r, &t);
	assert_int_equal(t.n, 6);
	flight_recorder_free(r);
}

TEST(within_memory)
{
	struct flight_recorder *r = flight_recorder_new(1000, 0);
	struct trace t, before;

	for (uint64_t i = 0; i < 30; i++)
		add(r, i);
	write_trace(r, &before);
	assert_true(before.n > 1 && before.n < 10);
	for (uint64_t i = 30; i < 60; i++)
		add(r, i);
	write_trace(r, &t);
	assert_int_equal(t.n, before.n);
	assert_int_equal(flight_recorder_first_ns(r), (60 - t.n) * SECOND);
	flight_recorder_free(r);
}

/* The newest block is kept even if it alone is too large. */
TEST(the_newest_block)
{
	struct flight_recorder *r = flight_recorder_new(1, SECOND);
	struct trace t;

	for (uint64_t i = 0; i < 3; i++)
		add(r, i);
	write_trace(r, &t);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.totals.late, 3);
	flight_recorder_free(r);
}

static int full(void *ctx, const void *data, size_t len)
{
	size_t *room = ctx;

	(void)data;
	if (len > *room)
		return -ENOSPC;
	*room -= len;
	return 0;
}

TEST(a_writer_that_fails)
{
	struct flight_recorder *r = flight_recorder_new(1 << 20, 0);
	struct upf_totals totals = {0};
	size_t room = 400;
	struct upf_writer *w;
	struct trace t;

	for (uint64_t i = 0; i < 10; i++)
		add(r, i);
	w = upf_writer_new(&some_session, full, &room);
	assert_non_null(w);
	assert_int_equal(flight_recorder_write(r, w, &totals), -ENOSPC);
	assert_true(totals.samples < 10);
	upf_writer_free(w);
	write_trace(r, &t);
	assert_int_equal(t.n, 10);
	flight_recorder_free(r);
}
