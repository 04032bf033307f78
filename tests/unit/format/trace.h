/* SPDX-License-Identifier: BSD-2-Clause */
/* trace.h - traces in memory for the format's tests: written, damaged, read back. */
#ifndef TESTS_UNIT_FORMAT_TRACE_H
#define TESTS_UNIT_FORMAT_TRACE_H

#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/file/block.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

#define MAYBE __attribute__((unused)) static

struct bytes {
	uint8_t *data;
	size_t len, cap;
};

MAYBE int collect(void *ctx, const void *data, size_t len)
{
	struct bytes *b = ctx;

	if (b->len + len > b->cap) {
		b->cap = (b->len + len) * 2;
		b->data = realloc(b->data, b->cap);
		assert_non_null(b->data);
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

/* Reproducible on every machine: splitmix64. */
MAYBE uint64_t pseudo(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static const struct upf_domain two_domains[] = {
	{.id = 7, .uuid = {1, 2, 3}, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "web1"},
	{.id = 9,
         .uuid = {4},
         .kind = UPF_KIND_HVM,
         .arch = UPF_ARCH_ARM64,
         .vcpus = 1,
         .name = "db",
         .image = "/k/elf",
         .build_id = "c0ffee"},
};

static const struct upf_session some_session = {
	.trace_id = {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8},
	.start_real_ns = 1700000000000000000,
	.start_mono_ns = 5000000000,
	.rate_mhz = 1000000,
	.max_stack = 128,
	.command = "uniprof-record web1",
	.recorder = "uniprof-record 2.0",
	.host = "dom0",
	.hypervisor = "Xen 4.17",
	.domains = two_domains,
	.ndomains = 2,
};

#define SMALL_BLOCKS 3 /* of samples; the footer comes after them */

/* A small trace; at[i] is where block i begins, at[SMALL_BLOCKS] the footer, at[SMALL_BLOCKS + 1] the trailer. */
struct small {
	struct bytes bytes;
	size_t at[SMALL_BLOCKS + 2];
};

MAYBE void fill_block(struct upf_encoder *e, uint64_t from_ns)
{
	const uint64_t a[] = {0xffffffff81000010, 0xffffffff81000400, 0xffffffff81001000},
		       b[] = {0x1234, 0xffffffff81001000};
	struct upf_sample s[] = {
		{.vcpu = 0, .state = UPF_RUNNING, .end = UPF_END_ROOT, .cpu_ns = 970000, .frames = a, .depth = 3},
		{.vcpu = 1, .state = UPF_BLOCKED, .end = UPF_END_COLD, .user = true, .frames = b, .depth = 2},
	};

	upf_encoder_reset(e, 1000000);
	assert_int_equal(upf_encode_event(e, 0, from_ns, UPF_EVENT_START, 0), 0);
	assert_int_equal(upf_encode_round(e, 0, from_ns + 1000, 30000, s, 2), 0);
	assert_int_equal(upf_encode_same(e, 0, from_ns + 1001000), 0);
	s[0].frames = b;
	s[0].depth = 2;
	assert_int_equal(upf_encode_round(e, 0, from_ns + 2001000, 25000, s, 2), 0);
	assert_int_equal(upf_encode_round(e, 1, from_ns + 2002000, 21000, s, 1), 0);
	assert_int_equal(upf_encode_late(e, 1, from_ns + 2003000, 2), 0);
	assert_int_equal(upf_encode_lost(e, 0, from_ns + 2004000, 5, UPF_LOST_WRITER), 0);
}

MAYBE void make_small_for(struct small *t, const struct upf_session *session)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	struct upf_totals totals = {
		.rounds = 12, .pauses = 9, .samples = 21, .lost = 15, .late = 6, .duration_ns = 9000000};
	struct upf_writer *w;

	memset(t, 0, sizeof(*t));
	assert_non_null(e);
	w = upf_writer_new(session, collect, &t->bytes);
	assert_non_null(w);
	for (int i = 0; i < SMALL_BLOCKS; i++) {
		t->at[i] = t->bytes.len;
		fill_block(e, (uint64_t)i * 3000000);
		assert_int_equal(upf_writer_block(w, e), 0);
	}
	upf_hist_add(&totals.pause, 30000);
	upf_hist_add(&totals.pause, 21000);
	t->at[SMALL_BLOCKS] = t->bytes.len;
	assert_int_equal(upf_writer_finish(w, &totals, UPF_REASON_DURATION), 0);
	t->at[SMALL_BLOCKS + 1] = t->bytes.len - TRAILER_SIZE;
	assert_int_equal(upf_writer_bytes(w), t->bytes.len);
	upf_writer_free(w);
	upf_encoder_free(e);
}

MAYBE void make_small(struct small *t)
{
	make_small_for(t, &some_session);
}

/* A descriptor at the beginning of these bytes. */
MAYBE int file_of(const uint8_t *data, size_t len)
{
	int fd = memfd_create("trace", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* What reading to the end gave. */
struct outcome {
	enum upf_fault open;
	char detail[64];
	struct upf_health health;
	unsigned delivered; /* bit n: sound block with sequence number n */
	unsigned faults;    /* bit n: a block with fault n */
	unsigned broken;    /* blocks with records that do not decode */
	uint64_t records, samples;
	bool totals;
};

MAYBE void decode_all(struct upf_decoder *d, const struct upf_block *b, struct outcome *o)
{
	struct upf_record r;
	int rc;

	if (upf_decoder_start(d, b) != UPF_OK) {
		o->broken++;
		return;
	}
	while ((rc = upf_decoder_next(d, &r)) == 1) {
		o->records++;
		o->samples += r.kind == UPF_SAMPLE;
	}
	o->broken += rc != 0;
}

MAYBE struct outcome read_fd(int fd)
{
	struct outcome o = {0};
	struct upf_reader *r = upf_reader_open(fd, &o.open, o.detail);
	struct upf_decoder *d = upf_decoder_new();
	enum upf_reason reason;
	struct upf_block b;
	int rc;

	assert_non_null(d);
	while (r && (rc = upf_reader_next(r, &b)) != 0) {
		assert_int_equal(rc, 1);
		o.faults |= b.fault == UPF_OK ? 0 : 1u << b.fault;
		o.delivered |= b.fault == UPF_OK ? 1u << b.seq : 0;
		assert_true((b.fault == UPF_OK) == (b.payload != NULL));
		if (b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES)
			decode_all(d, &b, &o);
	}
	if (r) {
		o.health = *upf_reader_health(r);
		o.totals = upf_reader_totals(r, &reason) != NULL;
	}
	upf_decoder_free(d);
	upf_reader_close(r);
	close(fd);
	return o;
}

MAYBE struct outcome read_bytes(const uint8_t *data, size_t len)
{
	return read_fd(file_of(data, len));
}

/* Does anything in the outcome tell that the trace is not sound and whole? */
MAYBE bool found(const struct outcome *o)
{
	const struct upf_health *h = &o->health;

	return o->open != UPF_OK || o->faults || o->broken || h->damaged || h->missing || h->skipped_bytes || h->cut ||
	       !h->has_footer;
}

#endif
