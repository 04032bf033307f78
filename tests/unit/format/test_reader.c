/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever happens to a trace's bytes: it is told, and every block that is still whole is used. */
#include "tests/unit/format/trace.h"

#include "format/bytes/wire.h"

#include <pthread.h>

#include "format/file/header.h"

#define ALL ((1u << (SMALL_BLOCKS + 1)) - 1)

static struct small small; /* of the test that runs */

static void setup(struct small *f)
{
	make_small(f);
	small = *f;
}

static void teardown(struct small *f)
{
	free(f->bytes.data);
}

#define SMALL_TEST(name) TEST_WITH(name, struct small, f, setup, teardown)

static uint8_t *copy_of_small(void)
{
	uint8_t *copy = malloc(small.bytes.len);

	assert_non_null(copy);
	return memcpy(copy, small.bytes.data, small.bytes.len);
}

SMALL_TEST(sound)
{
	struct outcome o = read_bytes(small.bytes.data, small.bytes.len);

	assert_false(found(&o));
	assert_int_equal(o.health.blocks, SMALL_BLOCKS + 1);
	assert_int_equal(o.delivered, ALL);
	assert_int_equal(o.samples, SMALL_BLOCKS * 7);
	assert_true(o.totals);
}

SMALL_TEST(the_footer_comes_back)
{
	int fd = file_of(small.bytes.data, small.bytes.len);
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);
	enum upf_reason reason;
	const struct upf_totals *t;
	struct upf_block b;

	assert_null(upf_reader_totals(r, &reason));
	while (upf_reader_next(r, &b) == 1)
		continue;
	assert_int_equal(upf_reader_bytes(r), small.bytes.len);
	t = upf_reader_totals(r, &reason);
	assert_non_null(t);
	assert_int_equal(reason, UPF_REASON_DURATION);
	assert_true(t->rounds == 12 && t->pauses == 9 && t->samples == 21 && t->lost == 15 && t->late == 6);
	assert_true(t->duration_ns == 9000000 && t->pause.count == 2 && t->pause.sum_ns == 51000 &&
	            t->pause.max_ns == 30000);
	assert_int_equal(upf_hist_quantile(&t->pause, 1000), 30000);
	upf_reader_close(r);
	close(fd);
}

TEST(a_histogram_that_does_not_add_up)
{
	struct upf_totals totals = {0}, got;
	enum upf_reason reason;
	struct buf b = {0};

	upf_hist_add(&totals.pause, 30000);
	assert_int_equal(footer_put(&b, &totals, UPF_REASON_SIGNAL), 0);
	assert_int_equal(footer_get(b.data, b.len, &got, &reason), 0);
	b.len = 0;
	totals.pause.count = 2;
	assert_int_equal(footer_put(&b, &totals, UPF_REASON_SIGNAL), 0);
	assert_int_equal(footer_get(b.data, b.len, &got, &reason), -EBADMSG);
	buf_free(&b);
}

/* Blocks that lie whole in the first @len bytes, as bits. */
static unsigned whole_before(size_t len)
{
	unsigned whole = 0;

	for (int i = 0; i <= SMALL_BLOCKS; i++)
		whole |= small.at[i + 1] <= len ? 1u << i : 0;
	return whole;
}

SMALL_TEST(cut_anywhere)
{
	for (size_t len = 0; len < small.bytes.len; len++) {
		struct outcome o = read_bytes(small.bytes.data, len);

		if (len < small.at[0]) {
			assert_int_equal(o.open, len == 0 ? UPF_FAULT_EMPTY : UPF_FAULT_HEADER);
			continue;
		}
		assert_int_equal(o.delivered, whole_before(len));
		assert_true(found(&o));
		assert_int_equal(o.health.has_footer, len >= small.at[SMALL_BLOCKS + 1]);
	}
}

/* The block that byte @at belongs to, SMALL_BLOCKS + 1 for the trailer. */
static int block_at(size_t at)
{
	int i = 0;

	while (i <= SMALL_BLOCKS && at >= small.at[i + 1])
		i++;
	return i;
}

static void check_flip(size_t at, uint8_t mask)
{
	uint8_t *copy = copy_of_small();
	struct outcome o;

	copy[at] ^= mask;
	o = read_bytes(copy, small.bytes.len);
	assert_true(found(&o));
	if (at < small.at[0])
		assert_int_not_equal(o.open, UPF_OK);
	else
		assert_int_equal(o.delivered, ALL & ~(1u << block_at(at)));
	free(copy);
}

SMALL_TEST(every_flipped_byte_costs_its_block_only)
{
	for (size_t at = 0; at < small.bytes.len; at++) {
		for (unsigned bit = 0; bit < 8; bit++)
			check_flip(at, (uint8_t)(1u << bit));
		check_flip(at, 0xff);
	}
}

/* Appends block @i of @from. */
static void add_block(struct bytes *to, const struct small *from, int i)
{
	collect(to, from->bytes.data + from->at[i], from->at[i + 1] - from->at[i]);
}

static struct outcome read_order(const struct small *other, const int *order, size_t n)
{
	struct bytes b = {0};
	struct outcome o;

	collect(&b, small.bytes.data, small.at[0]);
	for (size_t i = 0; i < n; i++)
		add_block(&b, order[i] < 10 ? &small : other, order[i] % 10);
	o = read_bytes(b.data, b.len);
	free(b.data);
	return o;
}

SMALL_TEST(repeated_swapped_dropped)
{
	const int repeated[] = {0, 1, 1, 2, 3}, swapped[] = {0, 2, 1, 3}, dropped[] = {0, 2, 3};
	struct outcome o = read_order(NULL, repeated, COUNT(repeated));

	assert_int_equal(o.faults, 1u << UPF_FAULT_ORDER);
	assert_true(o.delivered == ALL && o.health.damaged == 1 && o.samples == SMALL_BLOCKS * 7);
	o = read_order(NULL, swapped, COUNT(swapped));
	assert_int_equal(o.faults, 1u << UPF_FAULT_ORDER);
	assert_true(o.delivered == (ALL & ~2u) && o.health.damaged == 1 && o.health.missing == 1);
	o = read_order(NULL, dropped, COUNT(dropped));
	assert_true(o.faults == 0 && o.delivered == (ALL & ~2u) && o.health.missing == 1);
}

SMALL_TEST(of_another_trace)
{
	const int mixed[] = {0, 11, 1, 2, 3};
	struct upf_session session = some_session;
	struct small other;
	struct outcome o;

	session.trace_id[3] ^= 1;
	make_small_for(&other, &session);
	o = read_order(&other, mixed, COUNT(mixed));
	assert_int_equal(o.faults, 1u << UPF_FAULT_FOREIGN);
	assert_true(o.delivered == ALL && o.health.damaged == 1 && o.health.missing == 0);
	free(other.bytes.data);
}

/* Bytes put in, or taken out, between or inside blocks. */
SMALL_TEST(shifted)
{
	struct outcome o;

	for (size_t at = small.at[0]; at < small.at[SMALL_BLOCKS + 1]; at += 3) {
		bool between = at == small.at[block_at(at)];
		struct bytes b = {0};

		collect(&b, small.bytes.data, at);
		collect(&b, "some junk", 9);
		collect(&b, small.bytes.data + at, small.bytes.len - at);
		o = read_bytes(b.data, b.len);
		assert_true(found(&o));
		assert_int_equal(o.delivered, between ? ALL : ALL & ~(1u << block_at(at)));
		b.len = 0;
		collect(&b, small.bytes.data, at);
		collect(&b, small.bytes.data + at + 1, small.bytes.len - at - 1);
		o = read_bytes(b.data, b.len);
		assert_true(found(&o));
		assert_int_equal(o.delivered, ALL & ~(1u << block_at(at)));
		free(b.data);
	}
}

SMALL_TEST(bytes_after_the_end)
{
	struct bytes b = {0};
	struct outcome o;

	collect(&b, small.bytes.data, small.bytes.len);
	collect(&b, small.bytes.data, small.at[0]);
	o = read_bytes(b.data, b.len);
	assert_true(o.delivered == ALL && o.health.skipped_bytes == small.at[0]);
	assert_int_equal(o.faults, 1u << UPF_FAULT_GAP);
	free(b.data);
}

/* Patches block 0's header with valid checksums. */
static uint8_t *with_header(size_t offset, uint8_t value, uint8_t flags)
{
	uint8_t *copy = copy_of_small(), *at = copy + small.at[0];
	struct block_header h;

	assert_int_equal(block_header_get(at, false, &h), UPF_OK);
	if (offset == 8)
		h.type = value;
	h.flags |= flags;
	block_header_put(at, &h, at + BLOCK_HEADER_SIZE);
	return copy;
}

SMALL_TEST(types_of_a_later_version)
{
	uint8_t *copy = with_header(8, 77, 0);
	struct outcome o = read_bytes(copy, small.bytes.len);

	assert_true(!found(&o) && o.delivered == ALL && o.samples == (SMALL_BLOCKS - 1) * 7);
	free(copy);
	copy = with_header(8, 77, BLOCK_REQUIRED);
	o = read_bytes(copy, small.bytes.len);
	assert_int_equal(o.faults, 1u << UPF_FAULT_FEATURE);
	assert_true(o.delivered == (ALL & ~1u) && o.health.damaged == 1 && o.health.missing == 0);
	free(copy);
}

static void *drip(void *arg)
{
	int fd = *(int *)arg;

	for (size_t at = 0; at < small.bytes.len; at += 7) {
		size_t n = small.bytes.len - at < 7 ? small.bytes.len - at : 7;

		assert_int_equal(write(fd, small.bytes.data + at, n), n);
	}
	close(fd);
	return NULL;
}

SMALL_TEST(through_a_pipe_in_drops)
{
	pthread_t thread;
	struct outcome o;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, drip, &fds[1]), 0);
	o = read_fd(fds[0]);
	pthread_join(thread, NULL);
	assert_true(!found(&o) && o.delivered == ALL);
}

/* A live reader must get a block as soon as its last byte is there. */
SMALL_TEST(a_block_is_given_out_at_once)
{
	enum upf_fault fault;
	struct upf_reader *r;
	struct upf_block b;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], small.bytes.data, small.at[1]), small.at[1]);
	r = upf_reader_open(fds[0], &fault, NULL);
	assert_non_null(r);
	assert_int_equal(upf_reader_next(r, &b), 1); /* or the alarm ends the test */
	assert_int_equal(b.seq, 0);
	close(fds[1]);
	upf_reader_close(r);
	close(fds[0]);
}

/* A file full of forged beginnings of large blocks: reading it must not take time that grows with its square. */
static void read_markers(bool sound_headers)
{
	enum { SIZE = 8 << 20 };
	struct small t;
	uint8_t *file = malloc(SIZE);
	struct timespec start, end;
	struct upf_reader *r;
	enum upf_fault fault;
	struct upf_block b;
	int fd = memfd_create("markers", 0), blocks = 0;

	make_small(&t);
	assert_true(file && fd >= 0);
	memcpy(file, t.bytes.data, t.at[0]);
	for (size_t at = t.at[0]; at < SIZE; at += BLOCK_HEADER_SIZE) {
		uint8_t head[BLOCK_HEADER_SIZE];

		memcpy(head, t.bytes.data + t.at[0], sizeof(head));
		put_u32(head + 12, 1 << 20); /* stored size */
		put_u32(head + 16, 1 << 20); /* raw size */
		if (sound_headers)
			put_u32(head + 60, (uint32_t)checksum(head, 60));
		memcpy(file + at, head, at + sizeof(head) <= SIZE ? sizeof(head) : SIZE - at);
	}
	assert_true(write(fd, file, SIZE) == SIZE && lseek(fd, 0, SEEK_SET) == 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	while (upf_reader_next(r, &b) > 0)
		blocks++;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	/* Without the headers' checksum every one is seen, none summed up. The last are longer than the file. */
	assert_true(sound_headers ? blocks > 8 && blocks < (1 << 20) / BLOCK_HEADER_SIZE + 1000
	                          : blocks >= (int)((SIZE - t.at[0]) / BLOCK_HEADER_SIZE));
	assert_true(end.tv_sec - start.tv_sec < 5);
	upf_reader_close(r);
	close(fd);
	free(file);
	free(t.bytes.data);
}

TEST(markers_everywhere)
{
	read_markers(false);
	read_markers(true);
}
