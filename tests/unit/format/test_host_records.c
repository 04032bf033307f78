/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of the host's stacks: what breaks the format, and rounds that have more of them than a block has room. */
#include "tests/unit/format/trace.h"

#include <errno.h>

#include "format/samples/host_records.h"

static struct host_reader reader;

static int get(const uint8_t *item, size_t n)
{
	return host_reader_get(&reader, cursor_of(item, n));
}

/* One frame of a new function: no text, no build-id. */
static const uint8_t sound[] = {1, 0, 1, 0, 0, 0, 5};

TEST(what_breaks_the_format)
{
	static const uint8_t no_depth[] = {0}, deep[] = {HOST_DEPTH_MAX + 1}, unknown[] = {1, 2},
			     again[] = {2, 0, 0, 9, 9};
	uint8_t text[1 + 1 + 1 + 2 + HOST_TEXT_MAX + 1 + 16] = {1, 1, 0};

	host_reader_reset(&reader);
	for (size_t n = 0; n < sizeof(sound); n++)
		assert_int_equal(get(sound, n), -EBADMSG);
	host_reader_reset(&reader);
	assert_int_equal(get(sound, sizeof(sound)), 0);
	assert_true(reader.functions[0].is_vmm && reader.functions[0].offset == 5);
	assert_int_equal(get(no_depth, sizeof(no_depth)), -EBADMSG);
	assert_int_equal(get(deep, sizeof(deep)), -EBADMSG);
	assert_int_equal(get(unknown, sizeof(unknown)), -EBADMSG);
	/* What is behind belongs to a later version. */
	assert_int_equal(get(again, sizeof(again)), 0);
	put_varint(text + 3, HOST_TEXT_MAX);
	assert_int_equal(get(text, sizeof(text)), 0);
	text[1] = (uint8_t)reader.nfunctions;
	put_varint(text + 3, HOST_TEXT_MAX + 1);
	assert_int_equal(get(text, sizeof(text)), -EBADMSG);
	host_reader_free(&reader);
}

#define MANY 512u

/* All vCPUs of a large guest, each with a stack of its own. */
TEST(a_round_goes_without_what_does_not_fit)
{
	static struct host_function functions[MANY][HOST_DEPTH_MAX];
	static struct host_stack stacks[MANY];
	static struct upf_sample samples[MANY];
	static char name[HOST_TEXT_MAX + 1];
	const uint64_t frame = 0x1000;
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);

	assert_non_null(e);
	memset(name, 'x', HOST_TEXT_MAX);
	upf_encoder_reset(e, 1000000);
	for (uint32_t i = 0; i < MANY; i++) {
		stacks[i] = (struct host_stack){.id = i, .depth = HOST_DEPTH_MAX};
		for (uint32_t k = 0; k < HOST_DEPTH_MAX; k++) {
			functions[i][k] =
				(struct host_function){.id = i * HOST_DEPTH_MAX + k, .name = name, .file = "kernel"};
			stacks[i].frames[k] = &functions[i][k];
		}
		samples[i] = (struct upf_sample){
			.vcpu = i, .exit = UPF_EXIT_PORT, .frames = &frame, .depth = 1, .host = &stacks[i]};
	}
	assert_int_equal(upf_encode_round(e, 0, 0, 0, samples, MANY), 0);
	assert_true(upf_encoder_samples(e) == MANY);
	/* The next one has stacks that could be in another block. */
	assert_int_equal(upf_encode_round(e, 0, 1000000, 0, samples, MANY), -ENOSPC);
	upf_encoder_free(e);
}
