/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses in records: each told within a tick, none as none, and their sum to the tick. */
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/upf.h"

#define ROUNDS 3000
#define BLOCKS 3

static int put(void *ctx, const void *data, size_t len)
{
	return write(*(int *)ctx, data, len) == (ssize_t)len ? 0 : -1;
}

static uint64_t some_pause(uint64_t *random, uint32_t least, uint32_t range)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return least + (*random >> 33) % range;
}

static int make_trace(uint64_t *pauses, uint32_t least, uint32_t range)
{
	const struct upf_session session = {.rate_mhz = 1000000};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint64_t random = 1;

	assert_true(fd >= 0 && w && e);
	for (unsigned b = 0; b < BLOCKS; b++) {
		upf_encoder_reset(e, 1000000);
		for (unsigned i = b * ROUNDS / BLOCKS; i < (b + 1) * ROUNDS / BLOCKS; i++) {
			pauses[i] = i % 10 ? some_pause(&random, least, range) : 0;
			assert_int_equal(upf_encode_round(e, 0, i * UINT64_C(1000000), pauses[i], NULL, 0), 0);
		}
		assert_int_equal(upf_writer_block(w, e), 0);
	}
	upf_encoder_free(e);
	upf_writer_free(w);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The sum of what the records tell, less what it was. */
static int64_t compare(int fd, const uint64_t *pauses)
{
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);
	struct upf_decoder *d = upf_decoder_new();
	struct upf_record rec;
	struct upf_block b;
	int64_t sum = 0;
	unsigned i = 0;

	assert_true(r && d);
	while (upf_reader_next(r, &b) > 0) {
		assert_int_equal(upf_decoder_start(d, &b), UPF_OK);
		for (; upf_decoder_next(d, &rec) > 0; i++) {
			int64_t off = (int64_t)(rec.pause_ns - pauses[i]);

			assert_true(off > -2 * (int64_t)UPF_TICK_NS && off < 2 * (int64_t)UPF_TICK_NS);
			assert_int_equal(rec.pause_ns == 0, pauses[i] == 0);
			sum += off;
		}
	}
	assert_int_equal(i, ROUNDS);
	upf_decoder_free(d);
	upf_reader_close(r);
	close(fd);
	return sum;
}

TEST(sum_is_exact)
{
	static const uint32_t ranges[][2] = {{20000, 30000}, {1000, 5000}, {1, 3000}, {1300, 10}};
	static uint64_t pauses[ROUNDS];

	for (size_t i = 0; i < COUNT(ranges); i++) {
		int64_t off = compare(make_trace(pauses, ranges[i][0], ranges[i][1]), pauses);

		assert_true(off >= -(int64_t)UPF_TICK_NS && off <= (int64_t)UPF_TICK_NS);
	}
}

/* Shorter than a tick, each is told as one: too much rather than nothing. */
TEST(none_is_none)
{
	static uint64_t pauses[ROUNDS];

	assert_true(compare(make_trace(pauses, 1, 500), pauses) > 0);
}
