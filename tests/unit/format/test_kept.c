/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks kept in memory: written later they are a trace of their own, with the times and totals of just what is in it.
 */
#include <stdlib.h>

#include "tests/unit/format/trace.h"

#define MS 1000000ull

/* Kept blocks of one round each, a second apart, with a pause of @i + 1 microseconds. */
static struct upf_kept *keep(struct upf_packer *p, struct upf_encoder *e, uint64_t i)
{
	const uint64_t frames[] = {0x2000 + i, 0x1000};
	const struct upf_sample sample = {.state = UPF_RUNNING, .cpu_ns = MS, .frames = frames, .depth = 2};
	struct upf_totals t = {.rounds = 1, .samples = 1, .pauses = 1};
	struct upf_kept *k;

	upf_hist_add(&t.pause, (i + 1) * 1000);
	upf_encoder_reset(e, 1000 * MS);
	assert_int_equal(upf_encode_round(e, 0, i * 1000 * MS, (i + 1) * 1000, &sample, 1), 0);
	k = upf_keep(p, e, &t);
	assert_non_null(k);
	return k;
}

TEST(a_part_is_a_trace_of_its_own)
{
	struct upf_packer *p = upf_packer_new();
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	struct upf_session session = {.rate_mhz = 1000};
	struct upf_totals totals = {0};
	const struct upf_totals *read;
	struct bytes m = {0};
	struct upf_writer *w;
	struct upf_reader *r;
	enum upf_reason reason;
	enum upf_fault fault;
	struct upf_block b;
	struct upf_kept *k[5];
	uint64_t n = 0;
	int fd;

	for (uint64_t i = 0; i < 5; i++)
		k[i] = keep(p, e, i);
	w = upf_writer_new(&session, collect, &m);
	for (int i = 3; i < 5; i++)
		assert_int_equal(upf_writer_put(w, k[i], upf_kept_first_ns(k[3]), &totals), 0);
	totals.duration_ns = upf_kept_last_ns(k[4]) - upf_kept_first_ns(k[3]);
	assert_int_equal(upf_writer_finish(w, &totals, UPF_REASON_DUMP), 0);

	fd = file_of(m.data, m.len);
	r = upf_reader_open(fd, &fault, NULL);
	for (; upf_reader_next(r, &b) == 1; n++) {
		assert_int_equal(b.fault, UPF_OK);
		if (b.type == UPF_BLOCK_SAMPLES)
			assert_int_equal(b.first_ns, n * 1000 * MS);
	}
	assert_int_equal(n, 3);
	read = upf_reader_totals(r, &reason);
	assert_non_null(read);
	assert_int_equal(reason, UPF_REASON_DUMP);
	assert_int_equal(read->samples, 2);
	assert_int_equal(read->pause.count, 2);
	assert_int_equal(read->pause.sum_ns, 9000);
	assert_int_equal(read->pause.max_ns, 5000);
	assert_int_equal(read->duration_ns, 1000 * MS);

	upf_reader_close(r);
	close(fd);
	upf_writer_free(w);
	for (int i = 0; i < 5; i++)
		free(k[i]);
	upf_encoder_free(e);
	upf_packer_free(p);
	free(m.data);
}

TEST(pauses_above_a_bound)
{
	struct upf_hist h = {0};

	for (uint64_t ns = 1; ns < 1u << 22; ns *= 2)
		upf_hist_add(&h, ns);
	assert_int_equal(upf_hist_above(&h, (1u << 20) - 1), 2);
	assert_int_equal(upf_hist_above(&h, UINT64_MAX), 0);
}
