/* SPDX-License-Identifier: BSD-2-Clause */
/* Sound blocks with unsound records, built column by column: refused, never believed. */
#include "tests/unit/format/trace.h"

#include "format/samples/columns.h"

struct columns {
	struct bytes column[COLUMNS + 2]; /* two of a later version */
	struct bytes payload;
	uint64_t stacks, run; /* new ones; known ones since */
};

static void add(struct columns *c, int column, uint64_t v)
{
	uint8_t at[VARINT_MAX];

	collect(&c->column[column], at, put_varint(at, v));
}

/* KIND, STATE and CODE are bytes, not varints. */
static void add_byte(struct columns *c, int column, uint8_t v)
{
	collect(&c->column[column], &v, 1);
}

static void add_payload(struct columns *c, uint64_t v)
{
	uint8_t at[VARINT_MAX];

	collect(&c->payload, at, put_varint(at, v));
}

static void add_round(struct columns *c, uint64_t domain)
{
	add_byte(c, COLUMN_KIND, UPF_ROUND);
	add(c, COLUMN_DOMAIN, domain);
	add(c, COLUMN_TIME, 0);
	add(c, COLUMN_PAUSE, 20);
}

/* A sample all but its stack. */
static void add_sample(struct columns *c, uint64_t vcpu, uint8_t state)
{
	add_byte(c, COLUMN_KIND, UPF_SAMPLE);
	add(c, COLUMN_VCPU, vcpu);
	add_byte(c, COLUMN_STATE, state);
	add(c, COLUMN_CPU, 0);
}

/* A stack that is known, from 0. */
static void add_known(struct columns *c, int column, uint64_t number)
{
	add(c, column, number);
	c->run++;
}

/* A new stack: @push frames called by the node @back before the newest. */
static void add_shape(struct columns *c, uint64_t back, uint64_t push)
{
	c->stacks++;
	add(c, COLUMN_RUN, c->run);
	c->run = 0;
	add(c, COLUMN_BRANCH, 0);
	add(c, COLUMN_PARENT, back);
	add(c, COLUMN_PUSH, push);
	for (uint64_t i = 0; i < push && i < 2 * UPF_DEPTH_MAX; i++)
		add(c, COLUMN_FRAME, 2 * i);
}

static void build(struct columns *c)
{
	uint64_t n = 0;

	c->payload.len = 0;
	for (int i = 0; i < COLUMNS + 2; i++)
		n += c->column[i].len != 0;
	add_payload(c, 1000);
	add_payload(c, c->stacks);
	for (int i = 0; i < 3; i++) /* units of times, and no schedule */
		add_payload(c, 0);
	add_payload(c, n);
	for (int i = 0; i < COLUMNS + 2; i++) {
		if (c->column[i].len) {
			add_payload(c, (uint64_t)i);
			add_payload(c, FORM_BYTES);
			add_payload(c, c->column[i].len);
		}
	}
	for (int i = 0; i < COLUMNS + 2; i++)
		if (c->column[i].len)
			collect(&c->payload, c->column[i].data, c->column[i].len);
}

static void clear(struct columns *c)
{
	for (int i = 0; i < COLUMNS + 2; i++)
		free(c->column[i].data);
	free(c->payload.data);
	memset(c, 0, sizeof(*c));
}

/* Records decoded before the end, in *rc what the end was: 0 or a negative errno. */
static unsigned decode(const uint8_t *payload, size_t len, uint64_t first_ns, int *rc)
{
	uint8_t *exact = malloc(len + !len); /* of exactly this size, so that a sanitizer sees a byte too far */
	struct upf_decoder *d = upf_decoder_new();
	struct upf_block b = {
		.type = UPF_BLOCK_SAMPLES, .raw_size = (uint32_t)len, .first_ns = first_ns, .payload = exact};
	struct upf_record r;
	unsigned n = 0;

	assert_true(exact && d);
	memcpy(exact, payload, len);
	*rc = upf_decoder_start(d, &b) == UPF_OK ? 1 : -EBADMSG;
	while (*rc == 1) {
		*rc = upf_decoder_next(d, &r);
		n += *rc == 1;
	}
	if (*rc < 0)
		assert_int_equal(upf_decoder_next(d, &r), -EBADMSG);
	upf_decoder_free(d);
	free(exact);
	return n;
}

/* Decodes and forgets @c. */
static unsigned ends_with(struct columns *c, int expected)
{
	unsigned n;
	int rc;

	build(c);
	n = decode(c->payload.data, c->payload.len, 0, &rc);
	clear(c);
	assert_int_equal(rc, expected);
	return n;
}

TEST(sound)
{
	struct columns c = {0};

	add_round(&c, 0);
	add_sample(&c, 3, 0);
	add_shape(&c, 0, 5);
	add_sample(&c, UPF_VCPUS_MAX - 1, 0x7c);
	add_shape(&c, 5, UPF_DEPTH_MAX);
	add_round(&c, UPF_DOMAINS_MAX - 1);
	add_sample(&c, 3, 0);
	add_known(&c, COLUMN_STACK, 1);
	add_sample(&c, 3, 0);
	add_shape(&c, 5 + UPF_DEPTH_MAX, 0);
	add_sample(&c, 4, UPF_BLOCKED);
	add_known(&c, COLUMN_REST, 2);
	assert_int_equal(ends_with(&c, 0), 7);
}

TEST(numbers_beyond_their_limits)
{
	struct columns c = {0};

	add_round(&c, UPF_DOMAINS_MAX);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	add_round(&c, 0);
	add_sample(&c, UPF_VCPUS_MAX, 0);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
	add_round(&c, 0);
	add_sample(&c, 0, STATE_VMM | UPF_RUNNABLE);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
	add_round(&c, 0);
	add_sample(&c, 0, 0);
	add_shape(&c, 0, UPF_DEPTH_MAX + 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
}

/* What came later reads as 0 in a block of version 1; what it had must be there. */
TEST(later_columns_are_left_out_of_version_1)
{
	static const uint8_t no_columns[] = {0};
	static struct column_reader r;

	for (enum column i = COLUMN_DOMAIN; i < COLUMNS; i++) {
		struct cursor c = cursor_of(no_columns, sizeof(no_columns));
		bool later = i > COLUMN_TOPS && i != COLUMN_COPY_SKIP && may_be_left_out(i);

		assert_true(columns_get(&r, &c, true));
		assert_int_equal(is_of_bytes(i) ? column_byte(&r, i) : column_number(&r, i), 0);
		assert_int_equal(r.bad, !later);
	}
}

TEST(stacks_that_are_not_there)
{
	const uint64_t shapes[][2] = {{1, 0}, {1, 1}, {UINT64_MAX, 1}, {0, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}};
	struct columns c = {0};

	for (size_t i = 0; i < COUNT(shapes); i++) {
		add_round(&c, 0);
		add_sample(&c, 0, 0);
		add_shape(&c, shapes[i][0], shapes[i][1]);
		assert_int_equal(ends_with(&c, -EBADMSG), 1);
	}
	for (uint64_t number = 1; number != 0; number *= UINT64_C(0x10000)) {
		add_round(&c, 0);
		add_sample(&c, 0, 0);
		add_shape(&c, 0, 1);
		add_sample(&c, 1, 0);
		add_known(&c, COLUMN_STACK, number);
		assert_int_equal(ends_with(&c, -EBADMSG), 2);
	}
}

TEST(records_out_of_place)
{
	struct columns c = {0};

	add_sample(&c, 0, 0);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	/* SAME of a domain that had no round here */
	add_round(&c, 0);
	add_byte(&c, COLUMN_KIND, UPF_SAME);
	add(&c, COLUMN_DOMAIN, 1);
	add(&c, COLUMN_TIME, 0);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
	/* a sample behind something else than its round */
	add_round(&c, 0);
	add_byte(&c, COLUMN_KIND, UPF_LATE);
	add(&c, COLUMN_DOMAIN, 0);
	add(&c, COLUMN_TIME, 0);
	add(&c, COLUMN_COUNT, 1);
	add_sample(&c, 0, 0);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 2);
}

TEST(columns_with_something_left)
{
	struct columns c = {0};

	for (int column = COLUMN_DOMAIN; column < COLUMNS; column++) {
		add_round(&c, 0);
		add_byte(&c, column, 0);
		assert_int_equal(ends_with(&c, -EBADMSG), 1);
	}
}

/* Those of @vcpu: none, and no code. */
static void add_registers(struct columns *c, uint64_t vcpu)
{
	add_byte(c, COLUMN_KIND, UPF_REGISTERS);
	add(c, COLUMN_EXT, 4);
	add(c, COLUMN_EXT, vcpu);
	for (int i = 0; i < 3; i++)
		add(c, COLUMN_EXT, 0);
}

/* They belong to the sample behind them. */
TEST(registers_out_of_place)
{
	struct columns c = {0};

	add_round(&c, 0);
	add_registers(&c, 1);
	add_sample(&c, 1, 0);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, 0), 3);
	add_round(&c, 0); /* another vCPU's */
	add_registers(&c, 1);
	add_sample(&c, 0, 0);
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 2);
	add_round(&c, 0); /* nobody's */
	add_registers(&c, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 2);
	add_round(&c, 0);
	add_registers(&c, 1);
	add_round(&c, 0);
	assert_int_equal(ends_with(&c, -EBADMSG), 2);
	add_registers(&c, 1); /* no round's */
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	add_round(&c, 0); /* cut off */
	add_byte(&c, COLUMN_KIND, UPF_REGISTERS);
	add(&c, COLUMN_EXT, 2);
	add(&c, COLUMN_EXT, 0);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
}

TEST(times_that_overflow)
{
	struct columns c = {0};

	add_byte(&c, COLUMN_KIND, UPF_ROUND);
	add(&c, COLUMN_DOMAIN, 0);
	add(&c, COLUMN_TIME, zigzag(-2000));
	add(&c, COLUMN_PAUSE, 0);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	add_byte(&c, COLUMN_KIND, UPF_ROUND);
	add(&c, COLUMN_DOMAIN, 0);
	add(&c, COLUMN_TIME, 0);
	add(&c, COLUMN_PAUSE, UINT64_MAX / UPF_TICK_NS + 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	add_byte(&c, COLUMN_KIND, UPF_LATE);
	add(&c, COLUMN_DOMAIN, 0);
	add(&c, COLUMN_TIME, UINT64_MAX);
	add(&c, COLUMN_COUNT, 0);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
	add_round(&c, 0);
	add_byte(&c, COLUMN_KIND, UPF_SAMPLE);
	add(&c, COLUMN_VCPU, 0);
	add_byte(&c, COLUMN_STATE, 0);
	add(&c, COLUMN_CPU, zigzag(5000)); /* more than was expected: negative */
	add_shape(&c, 0, 1);
	assert_int_equal(ends_with(&c, -EBADMSG), 1);
}

TEST(what_a_later_version_adds)
{
	struct columns c = {0};

	add_round(&c, 0);
	add_byte(&c, COLUMN_KIND, 200);
	add(&c, COLUMN_EXT, 3);
	collect(&c.column[COLUMN_EXT], "abc", 3);
	add_sample(&c, 0, 0);
	add_shape(&c, 0, 2);
	collect(&c.column[COLUMNS + 1], "whatever", 8);
	assert_int_equal(ends_with(&c, 0), 3);
	add_byte(&c, COLUMN_KIND, 200);
	add(&c, COLUMN_EXT, 4);
	collect(&c.column[COLUMN_EXT], "abc", 3);
	assert_int_equal(ends_with(&c, -EBADMSG), 0);
}

/* What a reader must know of a later version: the column is named, and nothing of the block is believed. */
TEST(what_a_later_version_requires)
{
	static const uint8_t payload[] = {0, 0,         0, 0, 0, 2, COLUMN_KIND, FORM_BYTES, 1, 77, FORM_REQUIRED,
	                                  1, UPF_ROUND, 0};
	struct upf_block b = {.type = UPF_BLOCK_SAMPLES, .raw_size = sizeof(payload), .payload = payload};
	struct upf_decoder *d = upf_decoder_new();
	struct upf_record r;

	assert_non_null(d);
	assert_int_equal(upf_decoder_start(d, &b), UPF_FAULT_FEATURE);
	assert_int_equal(upf_decoder_unknown(d), 77);
	assert_int_equal(upf_decoder_next(d, &r), -EBADMSG);
	upf_decoder_free(d);
}

/* A round can hold every vCPU once; more would let a block's memory outgrow any guest's. */
TEST(more_samples_than_vcpus)
{
	struct columns c = {0};

	for (unsigned n = UPF_VCPUS_MAX; n <= UPF_VCPUS_MAX + 1; n++) {
		add_round(&c, 0);
		add_sample(&c, 0, 0);
		add_shape(&c, 0, 1);
		for (unsigned i = 1; i < n; i++) {
			add_sample(&c, 0, 0);
			add_known(&c, COLUMN_STACK, 0);
		}
		assert_int_equal(ends_with(&c, n == UPF_VCPUS_MAX ? 0 : -EBADMSG), UPF_VCPUS_MAX + 1);
	}
}

static void decode_next(struct upf_decoder *d, struct columns *c, uint64_t first_ns, struct upf_record *last)
{
	struct upf_block b = {.type = UPF_BLOCK_SAMPLES, .first_ns = first_ns};
	struct upf_record r;

	build(c);
	b.payload = c->payload.data;
	b.raw_size = (uint32_t)c->payload.len;
	assert_int_equal(upf_decoder_start(d, &b), UPF_OK);
	while (upf_decoder_next(d, &r) == 1)
		*last = r;
	clear(c);
}

TEST(a_block_knows_nothing_of_the_one_before)
{
	struct upf_decoder *d = upf_decoder_new();
	struct columns c = {0};
	struct upf_record r = {0};

	assert_non_null(d);
	add_round(&c, 5);
	decode_next(d, &c, 9000000, &r);
	assert_true(r.kind == UPF_ROUND && r.domain == 5 && r.time_ns == 10000000);
	add_byte(&c, COLUMN_KIND, 200);
	add(&c, COLUMN_EXT, 0);
	decode_next(d, &c, 3000000, &r);
	assert_true(r.kind == 200 && r.domain == 0 && r.time_ns == 3000000);
	upf_decoder_free(d);
}

static void whole_block(struct columns *c)
{
	add_round(c, 0);
	add_sample(c, 0, 0);
	add_shape(c, 0, 300);
	add_sample(c, 1, 0);
	add_known(c, COLUMN_STACK, 0);
	add_byte(c, COLUMN_KIND, UPF_SAME);
	add(c, COLUMN_DOMAIN, 0);
	add(c, COLUMN_TIME, 300);
	build(c);
}

TEST(cut_and_changed_payloads_never_crash)
{
	struct columns c = {0};
	uint64_t seed = 42;
	int rc;

	whole_block(&c);
	assert_int_equal(decode(c.payload.data, c.payload.len, 0, &rc), 6);
	for (size_t len = 0; len < c.payload.len; len++) {
		decode(c.payload.data, len, 0, &rc);
		assert_int_equal(rc, -EBADMSG);
	}
	for (int i = 0; i < 20000; i++) {
		struct bytes b = {0};

		collect(&b, c.payload.data, c.payload.len);
		for (uint64_t n = pseudo(&seed) % 6; n; n--) {
			size_t at = pseudo(&seed) % (pseudo(&seed) % 2 ? b.len : 60);

			b.data[at] = (uint8_t)pseudo(&seed);
		}
		decode(b.data, b.len, pseudo(&seed), &rc);
		free(b.data);
	}
	clear(&c);
}
