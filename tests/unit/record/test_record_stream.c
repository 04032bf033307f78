/* SPDX-License-Identifier: BSD-2-Clause */
/* Records on their way into blocks, with a writer that is behind: nothing is forgotten, and its order stays. */
#include "tests/unit/format/trace.h"

#include <pthread.h>

#include "record/output/record_stream.h"

#define MS 1000000ull
#define BLOCKS 4 /* that a queue has */

/* The trace that the blocks become; the writer thread waits while it is held. */
struct fixture {
	struct record_stream r;
	struct bytes bytes;
	struct upf_writer *w;
	struct upf_totals totals; /* of the blocks written */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held;
};

static int start(void *ctx)
{
	struct fixture *f = ctx;

	f->w = upf_writer_new(&some_session, collect, &f->bytes);
	return f->w ? 0 : -1;
}

static int consume(void *ctx, struct upf_encoder *e, const struct block_info *info)
{
	struct fixture *f = ctx;

	pthread_mutex_lock(&f->lock);
	while (f->held)
		pthread_cond_wait(&f->changed, &f->lock);
	pthread_mutex_unlock(&f->lock);
	upf_totals_add(&f->totals, &info->totals);
	return upf_writer_block(f->w, e);
}

static int finish(void *ctx)
{
	struct fixture *f = ctx;

	return upf_writer_finish(f->w, &f->totals, UPF_REASON_DURATION);
}

static void idle(void *ctx)
{
	(void)ctx;
}

static void hold(struct fixture *f, bool held)
{
	pthread_mutex_lock(&f->lock);
	f->held = held;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void setup(struct fixture *f)
{
	const struct queue_consumer consumer = {f, start, consume, finish, idle};
	const struct queue_blocks blocks = {.period_ns = MS, .tops = UPF_TOPS_NONE};

	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	assert_int_equal(record_stream_init(&f->r, 2), 0);
	f->r.queue = queue_start(&consumer, &blocks, -1);
	assert_non_null(f->r.queue);
}

static void teardown(struct fixture *f)
{
	record_stream_release(&f->r);
	upf_writer_free(f->w);
	free(f->bytes.data);
}

static int put_round(struct fixture *f, int kind, uint32_t domain, uint64_t time_ns)
{
	static const uint64_t frames[] = {0x2000, 0x1000};
	static const struct upf_sample sample = {.end = UPF_END_ROOT, .frames = frames, .depth = 2};
	const struct record r = {
		kind, .domain = domain, .time_ns = time_ns, .pause_ns = 1000, .samples = &sample, .nsamples = 1};
	int rc = record_stream_put(&f->r, &r);

	f->r.block.totals.samples += rc == 0;
	return rc;
}

/* No block is free any more. */
static void use_up(struct fixture *f)
{
	hold(f, true);
	for (unsigned i = 0; i < BLOCKS; i++) {
		assert_int_equal(put_round(f, RECORD_ROUND, 0, i * MS), 0);
		record_stream_submit(&f->r);
	}
	assert_int_equal(put_round(f, RECORD_ROUND, 0, BLOCKS * MS), -ENOBUFS);
}

/* What the trace has, a word a record, after the first @skip blocks. */
static void read_trace(struct fixture *f, unsigned skip, char *text, size_t size)
{
	static const char *const kinds[] = {"?", "round", "sample", "same", "lost", "late", "event"};
	enum upf_fault fault;
	struct upf_reader *reader;
	struct upf_decoder *d = upf_decoder_new();
	struct upf_block b;
	size_t used = 0;
	int fd;

	record_stream_submit(&f->r);
	assert_int_equal(queue_finish(f->r.queue), 0);
	fd = file_of(f->bytes.data, f->bytes.len);
	reader = upf_reader_open(fd, &fault, NULL);
	assert_non_null(reader);
	text[0] = '\0';
	while (upf_reader_next(reader, &b) == 1) {
		struct upf_record r;

		assert_int_equal(b.fault, UPF_OK);
		if (b.type != UPF_BLOCK_SAMPLES || skip-- > 0)
			continue;
		skip = 0;
		assert_int_equal(upf_decoder_start(d, &b), UPF_OK);
		while (upf_decoder_next(d, &r) == 1) {
			used += (size_t)snprintf(text + used, size - used, "%s", kinds[r.kind]);
			if (r.kind == UPF_LOST || r.kind == UPF_LATE || r.kind == UPF_EVENT)
				used += (size_t)snprintf(text + used, size - used, "=%u/%u",
				                         r.kind == UPF_LATE ? 0 : r.code, (unsigned)r.count);
			used += (size_t)snprintf(text + used, size - used, "@%u.%u ", r.domain,
			                         (unsigned)(r.time_ns / MS));
			assert_true(used < size);
		}
	}
	upf_reader_close(reader);
	upf_decoder_free(d);
	close(fd);
}

FIXTURE_TEST(everything_fits)
{
	char text[512];

	record_stream_event(&f->r, 1, 0, UPF_EVENT_START, 0);
	assert_int_equal(put_round(f, RECORD_ROUND, 1, 1 * MS), 0);
	assert_int_equal(put_round(f, RECORD_SAME, 1, 2 * MS), 0);
	record_stream_late(&f->r, 3 * MS, 7);
	assert_true(record_stream_settled(&f->r));
	read_trace(f, 0, text, sizeof(text));
	assert_string_equal(text, "event=1/0@1.0 round@1.1 sample@1.1 same@1.2 sample@1.2 late=0/7@0.3 ");
	assert_int_equal(f->totals.samples, 2);
	assert_int_equal(f->totals.late, 7);
}

/* A block that has no round of the domain to repeat gets it in full. */
FIXTURE_TEST(the_same_in_a_new_block)
{
	char text[512];

	assert_int_equal(put_round(f, RECORD_ROUND, 0, 0), 0);
	record_stream_submit(&f->r);
	assert_int_equal(f->r.block.totals.samples, 0);
	assert_int_equal(f->r.totals.samples, 1);
	queue_wait(f->r.queue);
	assert_int_equal(put_round(f, RECORD_SAME, 0, 1 * MS), 0);
	read_trace(f, 0, text, sizeof(text));
	assert_string_equal(text, "round@0.0 sample@0.0 round@0.1 sample@0.1 ");
}

FIXTURE_TEST(lost_when_no_block_is_free)
{
	char text[512];

	use_up(f);
	assert_false(record_stream_settled(&f->r));
	record_stream_lose(&f->r, 0, 2);
	record_stream_lose(&f->r, 1, 5);
	record_stream_late(&f->r, 5 * MS, 3);
	record_stream_late(&f->r, 5 * MS, 4);
	record_stream_event(&f->r, 1, 6 * MS, UPF_EVENT_PAUSED, 0);
	record_stream_event(&f->r, 1, 7 * MS, UPF_EVENT_RESUMED, 0);
	assert_int_equal(record_stream_retry(&f->r, 0, 8 * MS), -ENOBUFS);
	hold(f, false);
	queue_wait(f->r.queue);
	assert_false(record_stream_settled(&f->r));
	assert_int_equal(put_round(f, RECORD_ROUND, 0, 9 * MS), 0);
	assert_int_equal(put_round(f, RECORD_ROUND, 1, 10 * MS), 0);
	record_stream_late(&f->r, 11 * MS, 0);
	assert_true(record_stream_settled(&f->r));
	read_trace(f, BLOCKS, text, sizeof(text));
	assert_string_equal(text, "lost=1/2@0.9 round@0.9 sample@0.9 lost=1/5@1.10 event=5/0@1.6 event=6/0@1.7 "
	                          "round@1.10 sample@1.10 late=0/7@0.11 ");
	assert_int_equal(f->totals.lost, 7);
	assert_int_equal(f->totals.late, 7);
	assert_int_equal(f->totals.samples, BLOCKS + 2);
}

/* However many there are, the last one is kept: it says what the domain is now. */
FIXTURE_TEST(more_events_than_can_wait)
{
	char text[512];

	use_up(f);
	for (unsigned i = 0; i < 20; i++)
		record_stream_event(&f->r, 0, (5 + i) * MS, UPF_EVENT_RATE, i);
	hold(f, false);
	queue_wait(f->r.queue);
	assert_int_equal(record_stream_retry(&f->r, 0, 30 * MS), 0);
	assert_true(record_stream_settled(&f->r));
	read_trace(f, BLOCKS, text, sizeof(text));
	assert_string_equal(text,
	                    "event=7/0@0.5 event=7/1@0.6 event=7/2@0.7 event=7/3@0.8 event=7/4@0.9 event=7/5@0.10 "
	                    "event=7/6@0.11 event=7/19@0.24 ");
}

/* The records of a full block continue in the next one, with their totals. */
FIXTURE_TEST(a_full_block)
{
	uint64_t n = 0;

	while (f->r.totals.samples == 0) {
		queue_wait(f->r.queue);
		assert_int_equal(put_round(f, RECORD_ROUND, 0, n++ * MS), 0);
	}
	assert_int_equal(f->r.totals.samples, n - 1);
	assert_int_equal(f->r.block.totals.samples, 1);
	record_stream_submit(&f->r);
	assert_int_equal(queue_finish(f->r.queue), 0);
	assert_int_equal(f->totals.samples, n);
	assert_int_equal(read_bytes(f->bytes.data, f->bytes.len).samples, n);
}
