/* SPDX-License-Identifier: BSD-2-Clause */
/* What exporters are made of: protocol buffers, tables of strings and frames, samples in order of vCPUs. */
#include "tests/unit/unit.h"

#include "report/export/frame_table.h"
#include "report/export/protobuf.h"
#include "common/string_table.h"
#include "report/export/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void is_encoded(const struct buf *b, const char *expected, size_t len)
{
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, expected, len);
}

/* The bytes that protobuf.dev shows, and the ends of the range. */
TEST(protobuf)
{
	struct message message = {0}, inner = {0};

	protobuf_uint(&inner, 1, 150);
	is_encoded(&inner.bytes, "\x08\x96\x01", 3);
	protobuf_uint(&inner, 1, 0);
	is_encoded(&inner.bytes, "\x08\x96\x01", 3);
	protobuf_text(&message, 2, "testing");
	is_encoded(&message.bytes, "\x12\x07testing", 9);
	message.bytes.len = 0;
	protobuf_message(&message, 3, &inner);
	assert_int_equal(inner.bytes.len, 0);
	is_encoded(&message.bytes, "\x1a\x03\x08\x96\x01", 5);
	message.bytes.len = 0;
	protobuf_uint(&message, 16, UINT64_MAX);
	is_encoded(&message.bytes, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	message.bytes.len = 0;
	protobuf_varint(&message, 0);
	protobuf_varint(&message, 127);
	protobuf_varint(&message, 128);
	is_encoded(&message.bytes, "\x00\x7f\x80\x01", 4);
	assert_int_equal(message.rc, 0);
	buf_free(&message.bytes);
	buf_free(&inner.bytes);
}

TEST(strings_once)
{
	struct strings s = {0};
	uint32_t a, b, again;

	assert_int_equal(strings_add(&s, "", &a), 0);
	assert_int_equal(a, 0);
	assert_int_equal(strings_add(&s, "x\n\xff", &b), 0);
	assert_int_equal(strings_add(&s, "x\n\xff", &again), 0);
	assert_int_equal(b, 1);
	assert_int_equal(again, b);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.texts[b], "x\\x0a\\xff");
	strings_free(&s);
}

/* main() calls work(), which has mid() inlined, and that leaf(). */
TEST(frames_once)
{
	struct callchain_frame frames[] = {
		{.function = 1, .address = 0x1010, .caller = true, .file = "a.c", .line = 3},
		{.function = 2, .address = 0x2020, .file = "a.c", .line = 7},
		{.function = 3, .address = 0x2020, .inlined = true, .file = "a.h", .line = 1},
		{.function = 4, .address = 0x2020, .inlined = true, .file = "a.h", .line = 2},
	};
	const struct callchain chain = {.frames = frames, .n = 4};
	struct frame_table t = {0};
	uint32_t first[4];

	assert_int_equal(frame_table_chain(&t, &chain), 0);
	for (unsigned i = 0; i < 4; i++) {
		first[i] = t.ids[i];
		assert_int_equal(t.frames[first[i]].inline_depth, i < 2 ? 0 : i - 1);
		assert_int_equal(t.frames[first[i]].line, frames[i].line);
	}
	assert_int_equal(frame_table_code(&t.frames[first[0]]), 0x100f);
	assert_int_equal(frame_table_code(&t.frames[first[1]]), 0x2020);
	assert_int_equal(frame_table_chain(&t, &chain), 0);
	assert_memory_equal(t.ids, first, sizeof(first));
	frames[3].file = "b.h"; /* another function of the same name */
	assert_int_equal(frame_table_chain(&t, &chain), 0);
	assert_int_not_equal(t.ids[3], first[3]);
	assert_int_equal(t.nframes, 5);
	assert_int_equal(t.nfunctions, 5);
	frame_table_free(&t);
}

/* An inlined function whose own outer one was filtered away stands in what is left, or for itself. */
TEST(frames_filtered)
{
	struct callchain_frame frames[] = {
		{.function = 1, .address = 0x1010, .caller = true},
		{.function = 3, .address = 0x2020, .inlined = true},
		{.function = 4, .address = 0x2020, .inlined = true},
	};
	const struct callchain chain = {.frames = frames, .n = 3};
	struct frame_table t = {0};

	assert_int_equal(frame_table_chain(&t, &chain), 0);
	assert_int_equal(t.frames[t.ids[0]].inline_depth, 0);
	assert_int_equal(t.frames[t.ids[1]].inline_depth, 0);
	assert_int_equal(t.frames[t.ids[2]].inline_depth, 1);
	frame_table_free(&t);
}

#define SAMPLES (3 * TIMELINE_CHUNK + 5)

/* @every: how many of the samples are the vCPU's. */
static void is_in_order(struct timeline *t, size_t vcpu, uint64_t offset, unsigned every)
{
	struct timeline_cursor cursor = {.timeline = t, .vcpu = &t->vcpus[vcpu]};
	struct timeline_sample m;
	uint64_t n = 0;

	for (; timeline_next(&cursor, &m) == 1; n++) {
		assert_int_equal(m.time_ns, offset + n * every);
		assert_int_equal(m.node, (uint32_t)m.time_ns + 1);
	}
	assert_int_equal(n, (SAMPLES - offset + every - 1) / every);
}

static void add(struct timeline *t, uint32_t domain, uint32_t vcpu, uint64_t time)
{
	const struct timeline_sample sample = {.time_ns = time, .node = (uint32_t)time + 1};

	assert_int_equal(timeline_add(t, domain, vcpu, &sample), 0);
}

/* One vCPU with every sample, one with every second, one with too few for the file; each is gone through twice. */
TEST(timeline_order)
{
	struct timeline t;

	timeline_init(&t);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		add(&t, 1, 7, i);
		if (i % 2 == 1)
			add(&t, 1, 0, i);
		if (i % 400 == 0)
			add(&t, 0, 3, i);
	}
	timeline_sort(&t);
	assert_int_equal(t.n, 3);
	assert_true(t.fd >= 0);
	for (int pass = 0; pass < 2; pass++) {
		is_in_order(&t, 0, 0, 400);
		is_in_order(&t, 1, 1, 2);
		is_in_order(&t, 2, 0, 1);
	}
	timeline_free(&t);
}

/* What fits into memory needs no file; what does not tells of what the error is. */
TEST(timeline_without_file)
{
	struct timeline t;
	char *folder = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	setenv("TMPDIR", "/nowhere", 1);
	timeline_init(&t);
	for (uint64_t i = 0; i < TIMELINE_CHUNK; i++)
		add(&t, 0, 0, i);
	assert_int_equal(t.fd, -1);
	assert_int_equal(timeline_add(&t, 0, 0, &(struct timeline_sample){0}), -ENOENT);
	assert_true(t.failed);
	timeline_free(&t);
	if (folder)
		setenv("TMPDIR", folder, 1);
	else
		unsetenv("TMPDIR");
	free(folder);
}
