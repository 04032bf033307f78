/* SPDX-License-Identifier: BSD-2-Clause */
/* All registers of a sample: what went in comes out, repeated too; what is damaged or out of place is refused. */
#include "tests/unit/format/trace.h"

#include "format/write/packer.h"
#include "format/samples/register_list.h"

#define VCPUS 3

static void fill(struct register_set *set, uint64_t *seed)
{
	memset(set, 0, sizeof(*set));
	for (uint64_t n = pseudo(seed) % (REGISTERS_MAX + 1); n; n--)
		upf_registers_add(set, (uint32_t)pseudo(seed) & REGISTERS_ID_MAX, pseudo(seed) >> (pseudo(seed) & 63));
	set->code_size = (uint8_t)(pseudo(seed) % (REGISTERS_CODE + 1));
	set->code_before = set->code_size / 2;
	for (unsigned i = 0; i < set->code_size; i++)
		set->code[i] = (uint8_t)pseudo(seed);
}

static void check(const struct upf_record *r, const struct register_set *want)
{
	struct register_set got;

	assert_int_equal(upf_record_registers(r, &got), want != NULL);
	if (!want)
		return;
	assert_int_equal(got.n, want->n);
	for (uint32_t i = 0; i < want->n; i++)
		assert_true(got.of[i].id == want->of[i].id && got.of[i].value == want->of[i].value);
	assert_true(got.code_size == want->code_size && got.code_before == want->code_before);
	assert_memory_equal(got.code, want->code, want->code_size);
}

/* The block in @e as a reader has it. */
static struct upf_block block_of(const struct upf_encoder *e, uint8_t *payload)
{
	const struct block_header made = encoder_payload(e, NULL, payload);

	return (struct upf_block){
		.type = UPF_BLOCK_SAMPLES, .first_ns = made.first_ns, .payload = payload, .raw_size = made.raw_size};
}

static void check_block(const struct upf_block *b, const struct register_set *sets)
{
	struct upf_decoder *d = upf_decoder_new();
	unsigned samples = 0, records = 0;
	struct upf_record r;

	assert_non_null(d);
	assert_int_equal(upf_decoder_start(d, b), UPF_OK);
	while (upf_decoder_next(d, &r) > 0) {
		/* The second vCPU has none. */
		if (r.kind == UPF_SAMPLE || r.kind == UPF_REGISTERS)
			check(&r, r.vcpu == 1 ? NULL : &sets[r.vcpu]);
		else
			check(&r, NULL);
		samples += r.kind == UPF_SAMPLE;
		records += r.kind == UPF_REGISTERS;
	}
	assert_int_equal(upf_decoder_next(d, &r), 0);
	assert_true(samples == 2 * VCPUS && records == 2);
	upf_decoder_free(d);
}

TEST(come_back)
{
	const uint64_t frames[] = {0x1000, 0x2000};
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint8_t *payload = malloc(UPF_RAW_MAX);
	struct register_set sets[VCPUS];
	uint64_t seed = 5;

	assert_true(e && payload);
	for (int i = 0; i < 500; i++) {
		struct upf_sample s[VCPUS];
		struct upf_block b;

		for (uint32_t v = 0; v < VCPUS; v++) {
			fill(&sets[v], &seed);
			s[v] = (struct upf_sample){
				.vcpu = v, .frames = frames, .depth = 2, .registers = v == 1 ? NULL : &sets[v]};
		}
		upf_encoder_reset(e, 1000000);
		assert_int_equal(upf_encode_round(e, 0, 5000, 1000, s, VCPUS), 0);
		assert_int_equal(upf_encode_same(e, 0, 1005000), 0);
		b = block_of(e, payload);
		check_block(&b, sets);
	}
	free(payload);
	upf_encoder_free(e);
}

TEST(not_encoded)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	struct register_set sets[] = {{.n = REGISTERS_MAX + 1},
	                              {.n = 1, .of = {{.id = REGISTERS_ID_MAX + 1}}},
	                              {.code_size = REGISTERS_CODE + 1},
	                              {.code_size = 1, .code_before = 2}};

	assert_non_null(e);
	for (size_t i = 0; i < COUNT(sets); i++) {
		const struct upf_sample s = {.registers = &sets[i]};

		assert_int_equal(upf_encode_round(e, 0, 5000, 1000, &s, 1), -EINVAL);
		assert_true(upf_encoder_empty(e));
	}
	upf_encoder_free(e);
}

/* Items of EXT, as they may be in a file. */
TEST(damaged)
{
	static const struct {
		uint8_t size, item[12];
		int rc;
	} items[] = {
		{4, {0, 0, 0, 0}, 0},
		{8, {2, 1, 0x20, 7, 1, 2, 0x90, 0xc3}, 0},
		{6, {0, 0, 0, 0, 9, 9}, 0}, /* what a later version adds */
		{0, {0}, -EBADMSG},         /* cut off anywhere */
		{3, {0, 0, 0}, -EBADMSG},
		{7, {2, 1, 0x20, 7, 1, 2, 0x90}, -EBADMSG},
		{5, {0x80, 0x20, 0, 0, 0}, -EBADMSG},          /* a vCPU, */
		{4, {0, REGISTERS_MAX + 1, 0, 0}, -EBADMSG},   /* a count, */
		{6, {0, 1, 1, 0, 0, 0}, -EBADMSG},             /* a register below 0, */
		{8, {0, 1, 0x80, 0x80, 8, 0, 0, 0}, -EBADMSG}, /* or above the last, */
		{5, {0, 0, 2, 1, 0x90}, -EBADMSG},             /* or code outside of code */
		{4, {0, 0, 0, REGISTERS_CODE + 1}, -EBADMSG},
	};

	for (size_t i = 0; i < COUNT(items); i++) {
		struct register_set set;
		uint32_t vcpu = 0;

		assert_int_equal(register_list_get(items[i].item, items[i].size, &vcpu, &set), items[i].rc);
		if (i == 1)
			assert_true(vcpu == 2 && *upf_registers_find(&set, 16) == 7 &&
			            set.code[set.code_before - 1] == 0x90);
	}
}

/* With as many vCPUs as a recorder samples so, nothing in it compressible. */
TEST(largest_round_fits)
{
	const uint32_t n = UPF_ROUND_REGISTERS_MAX, depth = UPF_ROUND_COPY_FRAMES_MAX / n,
		       words = UPF_ROUND_COPY_MAX / n - 32 - UPF_REGISTERS_WORDS;
	static const enum upf_tops tops[] = {UPF_TOPS_COPY, UPF_TOPS_MIXED};
	struct register_set set = {.n = REGISTERS_MAX, .code_size = REGISTERS_CODE};
	struct upf_sample *s = calloc(n, sizeof(*s));
	uint64_t random[1024], seed = 3;
	uint8_t *payload = malloc(UPF_RAW_MAX);

	assert_true(s && payload && words + UPF_REGS_MAX + depth <= COUNT(random));
	for (size_t i = 0; i < COUNT(random); i++)
		random[i] = pseudo(&seed) | UINT64_C(1) << 63;
	for (uint32_t i = 0; i < set.n; i++) {
		set.of[i].id = i % 2 * REGISTERS_ID_MAX;
		set.of[i].value = UINT64_MAX;
	}
	for (uint32_t v = 0; v < n; v++)
		s[v] = (struct upf_sample){.vcpu = v,
		                           .slot = v,
		                           .frames = random,
		                           .depth = depth,
		                           .words = random + depth,
		                           .nwords = words,
		                           .regs = random + depth + words,
		                           .nregs = UPF_REGS_MAX,
		                           .tops = UPF_TOPS_COPY,
		                           .root = v,
		                           .link = random[v % 9],
		                           .registers = &set};
	for (size_t i = 0; i < COUNT(tops); i++) {
		struct upf_encoder *e = upf_encoder_new(tops[i], n, words);

		assert_non_null(e);
		assert_int_equal(upf_encode_round(e, 0, 5000, 1, s, n), 0);
		assert_true(encoder_payload(e, NULL, payload).raw_size <= UPF_RAW_MAX);
		upf_encoder_free(e);
	}
	free(payload);
	free(s);
}

/* Records of all registers fill a block, however little each round has beside them. */
TEST(block_fills_up)
{
	struct register_set set = {.n = REGISTERS_MAX, .code_size = REGISTERS_CODE};
	const struct upf_sample s = {.registers = &set};
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint8_t *payload = malloc(UPF_RAW_MAX);
	struct upf_decoder *d = upf_decoder_new();
	unsigned rounds = 0, samples = 0;
	struct upf_block b;
	struct upf_record r;
	int rc;

	assert_true(e && payload && d);
	for (uint32_t i = 0; i < set.n; i++) {
		set.of[i].id = i % 2 * REGISTERS_ID_MAX;
		set.of[i].value = UINT64_MAX;
	}
	while ((rc = upf_encode_round(e, 0, 5000 + rounds * 1000, 1000, &s, 1)) == 0)
		assert_true(++rounds < 1000);
	assert_int_equal(rc, -ENOSPC);
	assert_true(rounds > 700);
	b = block_of(e, payload);
	assert_true(b.raw_size <= UPF_RAW_MAX && upf_decoder_start(d, &b) == UPF_OK);
	while ((rc = upf_decoder_next(d, &r)) > 0)
		if (r.kind == UPF_SAMPLE) {
			check(&r, &set);
			samples++;
		}
	assert_true(rc == 0 && samples == rounds);
	upf_decoder_free(d);
	free(payload);
	upf_encoder_free(e);
}

TEST(names)
{
	assert_string_equal(upf_register_name(REGISTER_CR0 + 3), "cr3");
	assert_string_equal(upf_register_name(REGISTER_R13_SVC), "sp_svc");
	assert_string_equal(upf_register_name(REGISTER_ES_LIMIT + SEGMENT_IDTR), "idtr.limit");
	for (uint32_t id = 0; id <= REGISTERS_ID_MAX; id++)
		assert_true(!upf_register_name(id) || *upf_register_name(id));
	assert_null(upf_register_name(REGISTER_ES_BASE + SEGMENTS));
	assert_null(upf_register_name(REGISTERS_ID_MAX));
}
