/* SPDX-License-Identifier: BSD-2-Clause */
/* What is encoded is decoded, record by record; what does not fit leaves the encoder as it was. */
#include "tests/unit/format/trace.h"

#include "format/write/packer.h"

#define VCPUS 6
#define DEPTH UPF_DEPTH_MAX

/* A record as the test knows it. */
struct expected {
	uint8_t kind, state, end, code, exit;
	bool user, repeated;
	uint32_t domain, vcpu, depth;
	uint64_t time_ns, pause_ns, cpu_ns, count;
	uint64_t *frames;
	const struct host_stack *host;
};

#define HOST_STACKS 40
#define HOST_FUNCTIONS 100

struct model {
	struct upf_encoder *encoder;
	struct bytes out;
	struct upf_writer *writer;
	struct expected *list;
	size_t n, cap;
	uint64_t now, seed;
	size_t last[UPF_DOMAINS_MAX], nlast[UPF_DOMAINS_MAX]; /* the domain's last round's samples in list */
	bool has[UPF_DOMAINS_MAX];
	struct host_function functions[HOST_FUNCTIONS];
	char names[HOST_FUNCTIONS][300];
	struct host_stack host_stacks[HOST_STACKS];
};

static struct expected *expect(struct model *m, uint8_t kind, uint32_t domain)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 1024;
		m->list = realloc(m->list, m->cap * sizeof(*m->list));
		assert_non_null(m->list);
	}
	m->list[m->n] = (struct expected){.kind = kind, .domain = domain, .time_ns = m->now};
	return &m->list[m->n++];
}

static uint32_t below(struct model *m, uint32_t n)
{
	return (uint32_t)(pseudo(&m->seed) % n);
}

/* A stack that shares its root side with others, now and then a wild or empty or very deep one. */
static void some_stack(struct model *m, struct upf_sample *s, uint64_t *frames)
{
	uint32_t wild = below(m, 50);

	s->depth = wild == 0 ? 0 : wild == 1 ? DEPTH : 1 + below(m, 24);
	for (uint32_t i = 0; i < s->depth; i++) {
		uint32_t from_root = s->depth - 1 - i;

		frames[i] = wild == 2 ? pseudo(&m->seed)
		                      : 0xffffffff81000000 + from_root * 0x1000 + below(m, 1 + from_root / 4) * 16;
	}
	s->frames = frames;
}

static void random_round(struct model *m, uint32_t domain)
{
	static uint64_t frames[VCPUS][DEPTH];
	struct upf_sample s[VCPUS] = {0};
	uint32_t n = below(m, VCPUS + 1);
	uint64_t pause = below(m, 100) * 1000;
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		s[i] = (struct upf_sample){.vcpu = below(m, 8) ? i : below(m, UPF_VCPUS_MAX),
		                           .state = (uint8_t)below(m, 4),
		                           .end = (uint8_t)below(m, 16),
		                           .user = below(m, 2),
		                           .exit = (uint8_t)(below(m, 4) ? 0 : below(m, 256)),
		                           .host = below(m, 4) ? NULL : &m->host_stacks[below(m, HOST_STACKS)],
		                           .cpu_ns = below(m, 2000) * UINT64_C(1000)};
		some_stack(m, &s[i], frames[i]);
	}
	rc = upf_encode_round(m->encoder, domain, m->now, pause, s, n);
	if (rc == -ENOSPC) {
		assert_int_equal(upf_writer_block(m->writer, m->encoder), 0);
		upf_encoder_reset(m->encoder, 1000000);
		memset(m->has, 0, sizeof(m->has));
		rc = upf_encode_round(m->encoder, domain, m->now, pause, s, n);
	}
	assert_int_equal(rc, 0);
	expect(m, UPF_ROUND, domain)->pause_ns = pause;
	m->has[domain] = true;
	m->last[domain] = m->n;
	m->nlast[domain] = n;
	for (uint32_t i = 0; i < n; i++) {
		struct expected *x = expect(m, UPF_SAMPLE, domain);

		x->count = 1;
		x->vcpu = s[i].vcpu;
		x->state = s[i].state;
		x->end = s[i].end;
		x->user = s[i].user;
		x->exit = s[i].exit;
		x->host = s[i].host;
		x->cpu_ns = s[i].cpu_ns;
		x->depth = s[i].depth;
		x->frames = malloc((s[i].depth + 1) * sizeof(*x->frames));
		assert_non_null(x->frames);
		memcpy(x->frames, s[i].frames, s[i].depth * sizeof(*x->frames));
	}
}

static void same(struct model *m, uint32_t domain)
{
	int rc = upf_encode_same(m->encoder, domain, m->now);

	if (!m->has[domain]) {
		assert_int_equal(rc, -ENOENT);
		return;
	}
	if (rc == -ENOSPC)
		return;
	assert_int_equal(rc, 0);
	expect(m, UPF_SAME, domain)->count = m->nlast[domain];
	for (size_t i = 0; i < m->nlast[domain]; i++) {
		struct expected *x = expect(m, UPF_SAMPLE, domain);
		const struct expected *old = &m->list[m->last[domain] + i];
		uint64_t *frames = malloc((old->depth + 1) * sizeof(*frames));

		assert_non_null(frames);
		memcpy(frames, old->frames, old->depth * sizeof(*frames));
		*x = *old;
		x->frames = frames;
		x->time_ns = m->now;
		x->cpu_ns = 0;
		x->repeated = true;
	}
}

static void note(struct model *m, uint32_t domain)
{
	const uint64_t counts[] = {0, 1, 127, 128, UINT32_MAX, UINT64_MAX};
	uint64_t count = counts[below(m, COUNT(counts))];
	uint8_t kind = (uint8_t)(UPF_LOST + below(m, 4)), code = (uint8_t)below(m, 256);
	uint32_t vcpu = below(m, UPF_VCPUS_MAX);
	struct expected *x;
	int rc;

	if (kind == UPF_LOST)
		rc = upf_encode_lost(m->encoder, domain, m->now, count, code);
	else if (kind == UPF_LATE)
		rc = upf_encode_late(m->encoder, domain, m->now, count);
	else if (kind == UPF_ENTRY)
		rc = upf_encode_entry(m->encoder, domain, m->now, vcpu, count);
	else
		rc = upf_encode_event(m->encoder, domain, m->now, code, count);
	if (rc == -ENOSPC)
		return;
	assert_int_equal(rc, 0);
	x = expect(m, kind, domain);
	x->count = count;
	x->code = kind == UPF_LOST || kind == UPF_EVENT ? code : 0;
	x->vcpu = kind == UPF_ENTRY ? vcpu : 0;
}

static void build(struct model *m, uint32_t domain)
{
	uint8_t id[UPF_BUILD_ID_MAX];
	uint32_t size = UPF_BUILD_ID_MIN + below(m, UPF_BUILD_ID_MAX - UPF_BUILD_ID_MIN + 1);
	uint64_t address = pseudo(&m->seed);
	struct expected *x;
	int rc;

	memset(id, (int)size, size);
	rc = upf_encode_build(m->encoder, domain, m->now, address, id, size);
	if (rc == -ENOSPC)
		return;
	assert_int_equal(rc, 0);
	x = expect(m, UPF_BUILD, domain);
	x->count = address;
	x->depth = size;
}

static void check_build(const struct upf_record *r, const struct expected *x)
{
	assert_true(r->domain == x->domain && r->count == x->count && r->registers_size == x->depth);
	for (uint32_t i = 0; i < x->depth; i++)
		assert_int_equal(r->build_id[i], x->depth);
}

static void check_stack(const struct upf_decoder *d, const struct upf_record *r, const struct expected *x)
{
	uint32_t n, node = r->stack;
	const struct upf_node *nodes = upf_decoder_nodes(d, &n);

	assert_true(node < n && nodes[node].depth == x->depth);
	for (uint32_t i = 0; i < x->depth; i++) {
		assert_true(nodes[node].address == x->frames[i] && nodes[node].parent < node);
		node = nodes[node].parent;
	}
	assert_int_equal(node, 0);
}

/* Some have no name, some one that is longer than can be. */
static void make_host_stacks(struct model *m)
{
	for (uint32_t i = 0; i < HOST_FUNCTIONS; i++) {
		struct host_function *f = &m->functions[i];

		memset(m->names[i], 'a' + (int)(i % 26), i % 10 ? i % 10 : i % 20 * 20);
		*f = (struct host_function){.id = i,
		                            .name = m->names[i],
		                            .file = i % 3 ? "kernel" : "/usr/bin/vmm",
		                            .is_vmm = i % 3 == 0,
		                            .offset = i % (HOST_BUILD_ID_MAX + 1) ? pseudo(&m->seed) : 0,
		                            .build_id_size = (uint8_t)(i % (HOST_BUILD_ID_MAX + 1))};
		memset(f->build_id, (int)i, f->build_id_size);
	}
	for (uint32_t i = 0; i < HOST_STACKS; i++) {
		m->host_stacks[i].id = i;
		m->host_stacks[i].depth = 1 + below(m, HOST_DEPTH_MAX);
		for (uint32_t k = 0; k < m->host_stacks[i].depth; k++)
			m->host_stacks[i].frames[k] = &m->functions[below(m, HOST_FUNCTIONS)];
	}
}

static void check_host_stack(const struct upf_decoder *d, const struct upf_record *r, const struct host_stack *s)
{
	uint32_t depth;
	const uint32_t *numbers = upf_decoder_host_stack(d, r->host, &depth);

	assert_int_equal(depth, s ? s->depth : 0);
	for (uint32_t i = 0; i < depth; i++) {
		const struct upf_host_function *f = upf_decoder_host_function(d, numbers[i]);
		const struct host_function *x = s->frames[depth - 1 - i];

		assert_int_equal(f->name_size, strnlen(x->name, HOST_TEXT_MAX));
		assert_memory_equal(f->name, x->name, f->name_size);
		assert_int_equal(f->file_size, strlen(x->file));
		assert_memory_equal(f->file, x->file, f->file_size);
		assert_int_equal(f->build_id_size, x->build_id_size);
		assert_memory_equal(f->build_id, x->build_id, f->build_id_size);
		assert_true(f->offset == x->offset && f->is_vmm == x->is_vmm);
	}
}

static void check_record(const struct upf_decoder *d, const struct upf_record *r, const struct expected *x)
{
	assert_int_equal(r->kind, x->kind);
	if (x->kind == UPF_BUILD) {
		check_build(r, x);
		return;
	}
	assert_true(r->domain == x->domain && r->time_ns == x->time_ns && r->repeated == x->repeated);
	assert_true(r->pause_ns == x->pause_ns && r->count == x->count && r->code == x->code);
	assert_int_equal(r->vcpu, x->vcpu);
	if (x->kind != UPF_SAMPLE)
		return;
	assert_true(r->state == x->state && r->end == x->end && r->user == x->user && r->exit == x->exit);
	assert_true(r->cpu_ns == x->cpu_ns);
	check_stack(d, r, x);
	check_host_stack(d, r, x->host);
}

/* Reads everything back; returns the number of sample blocks. */
static unsigned check_all(struct model *m)
{
	int fd = file_of(m->out.data, m->out.len), rc;
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);
	struct upf_decoder *d = upf_decoder_new();
	unsigned blocks = 0;
	struct upf_block b;
	size_t i = 0;

	assert_true(r && d);
	while (upf_reader_next(r, &b) == 1) {
		struct upf_record record;
		uint64_t samples = 0;

		assert_int_equal(b.fault, UPF_OK);
		if (b.type != UPF_BLOCK_SAMPLES)
			continue;
		blocks++;
		assert_int_equal(upf_decoder_start(d, &b), UPF_OK);
		while ((rc = upf_decoder_next(d, &record)) == 1) {
			if (record.kind == UPF_HOST)
				continue;
			assert_true(i < m->n);
			check_record(d, &record, &m->list[i++]);
			samples += record.kind == UPF_SAMPLE;
		}
		assert_int_equal(rc, 0);
		assert_int_equal(samples, b.samples);
	}
	assert_int_equal(i, m->n);
	upf_decoder_free(d);
	upf_reader_close(r);
	close(fd);
	return blocks;
}

static void model_open(struct model *m, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->seed = seed;
	make_host_stacks(m);
	m->encoder = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	m->writer = upf_writer_new(&some_session, collect, &m->out);
	assert_true(m->encoder && m->writer);
	upf_encoder_reset(m->encoder, 1000000);
}

static void model_close(struct model *m)
{
	upf_writer_free(m->writer);
	upf_encoder_free(m->encoder);
	for (size_t i = 0; i < m->n; i++)
		free(m->list[i].frames);
	free(m->list);
	free(m->out.data);
}

TEST(random_records_come_back)
{
	static struct model m;
	const struct upf_totals totals = {0};

	for (uint64_t seed = 1; seed <= 8; seed++) {
		model_open(&m, seed);
		for (int i = 0; i < 3000; i++) {
			uint32_t what = below(&m, 10),
				 domain = below(&m, 20) ? below(&m, 3) : below(&m, UPF_DOMAINS_MAX);

			m.now += below(&m, 2000) * UINT64_C(1000);
			if (what < 6)
				random_round(&m, domain);
			else if (what < 9)
				same(&m, domain);
			else if (below(&m, 4))
				note(&m, domain);
			else
				build(&m, domain);
		}
		assert_int_equal(upf_writer_block(m.writer, m.encoder), 0);
		assert_int_equal(upf_writer_finish(m.writer, &totals, UPF_REASON_SIGNAL), 0);
		assert_true(check_all(&m) > 1);
		model_close(&m);
	}
}

static void payload_of(const struct upf_encoder *e, struct bytes *b, struct block_header *info)
{
	uint8_t *at = malloc(UPF_RAW_MAX);

	assert_non_null(at);
	*info = encoder_payload(e, NULL, at);
	assert_true(info->raw_size <= UPF_RAW_MAX);
	b->len = 0;
	collect(b, at, info->raw_size);
	free(at);
}

static void refused_and_unchanged(struct upf_encoder *e, const struct upf_sample *s, size_t n, uint64_t time)
{
	struct bytes before = {0}, after = {0};
	struct block_header a, b;

	payload_of(e, &before, &a);
	assert_int_equal(upf_encode_round(e, 0, time, 20000, s, n), -ENOSPC);
	payload_of(e, &after, &b);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	assert_true(a.samples == b.samples && a.lost == b.lost && a.first_ns == b.first_ns && a.last_ns == b.last_ns);
	free(before.data);
	free(after.data);
}

/* Fills a block with rounds of @n vCPUs, stacks @depth deep and each new. */
static void fill_up(uint32_t n, uint32_t depth)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint64_t *frames = malloc(sizeof(*frames) * (n * depth + 1)), seed = n, time = 0;
	struct upf_sample *s = calloc(n, sizeof(*s));
	unsigned rounds = 0;
	int rc;

	assert_true(e && frames && s);
	upf_encoder_reset(e, 1000000);
	do {
		for (uint32_t i = 0; i < n * depth; i++)
			frames[i] = pseudo(&seed);
		for (uint32_t i = 0; i < n; i++)
			s[i] = (struct upf_sample){.vcpu = i, .frames = frames + i * depth, .depth = depth};
		rc = upf_encode_round(e, 0, time += 1000000, 20000, s, n);
		rounds += rc == 0;
	} while (rc == 0);
	assert_true(rounds > 0);
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(upf_encoder_samples(e), rounds * n);
	refused_and_unchanged(e, s, n, time);
	upf_encoder_reset(e, 1000000);
	assert_true(upf_encoder_empty(e));
	assert_int_equal(upf_encode_round(e, 0, time, 20000, s, n), 0);
	free(s);
	free(frames);
	upf_encoder_free(e);
}

TEST(a_full_block_is_left_as_it_was)
{
	fill_up(1, 0);
	fill_up(1, 1);
	fill_up(1, 20);
	fill_up(1, UPF_DEPTH_MAX);
	fill_up(128, 20);
	fill_up(128, 128);
	fill_up(UPF_VCPUS_MAX, 1);
}

TEST(other_records_fill_a_block_too)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	int rc = 0;

	assert_non_null(e);
	upf_encoder_reset(e, 1000000);
	assert_int_equal(upf_encode_same(e, 0, 0), -ENOENT);
	for (uint64_t t = 0; rc == 0; t += 1000000)
		rc = upf_encode_lost(e, UPF_DOMAINS_MAX - 1, t, UINT64_MAX, UPF_LOST_WRITER);
	assert_int_equal(rc, -ENOSPC);
	upf_encoder_reset(e, 1000000);
	assert_int_equal(upf_encode_round(e, 5, 0, 0, NULL, 0), 0);
	assert_int_equal(upf_encode_same(e, 4, 0), -ENOENT);
	do
		rc = upf_encode_same(e, 5, 0);
	while (rc == 0);
	assert_int_equal(rc, -ENOSPC);
	upf_encoder_free(e);
}

TEST(out_of_range_is_refused)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	static const uint64_t frames[UPF_DEPTH_MAX + 1];
	struct upf_sample s = {.frames = frames, .depth = UPF_DEPTH_MAX + 1};

	assert_non_null(e);
	assert_int_equal(upf_encode_round(e, 0, 0, 0, &s, 1), -EINVAL);
	s.depth = 1;
	s.vcpu = UPF_VCPUS_MAX;
	assert_int_equal(upf_encode_round(e, 0, 0, 0, &s, 1), -EINVAL);
	assert_int_equal(upf_encode_round(e, UPF_DOMAINS_MAX, 0, 0, &s, 0), -EINVAL);
	assert_int_equal(upf_encode_same(e, UPF_DOMAINS_MAX, 0), -EINVAL);
	assert_int_equal(upf_encode_late(e, UPF_DOMAINS_MAX, 0, 1), -EINVAL);
	assert_true(upf_encoder_empty(e));
	upf_encoder_free(e);
}

TEST(a_round_no_block_can_hold)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	static const uint64_t frames[UPF_DEPTH_MAX];
	static struct upf_sample s[UPF_VCPUS_MAX];

	assert_non_null(e);
	for (uint32_t i = 0; i < COUNT(s); i++)
		s[i] = (struct upf_sample){.vcpu = i, .frames = frames, .depth = UPF_DEPTH_MAX};
	assert_int_equal(upf_encode_round(e, 0, 0, 0, s, COUNT(s)), -E2BIG);
	assert_true(upf_encoder_empty(e));
	upf_encoder_free(e);
}

TEST(an_empty_stack_needs_no_frames)
{
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	const struct upf_sample s[2] = {{.vcpu = 0, .end = UPF_END_NONE}, {.vcpu = 1, .end = UPF_END_NONE}};

	assert_non_null(e);
	for (uint64_t t = 0; t < 3; t++)
		assert_int_equal(upf_encode_round(e, 0, t, 0, s, 2), 0);
	upf_encoder_free(e);
}

/* Times at both ends, and one that goes backwards. */
TEST(extreme_times)
{
	static struct model m;
	const uint64_t times[] = {0, 1000, UINT64_MAX / 1000 * 1000, 5000, 0, 1000000};

	model_open(&m, 3);
	for (size_t i = 0; i < COUNT(times); i++) {
		m.now = times[i];
		random_round(&m, 0);
		same(&m, 0);
		note(&m, 1);
	}
	assert_int_equal(upf_writer_block(m.writer, m.encoder), 0);
	assert_int_equal(check_all(&m), 1);
	model_close(&m);
}

/* --- rounds of a schedule ---------------------------------------------------------------------------------------- */

#define ROUNDS 3000

struct due_round {
	uint64_t time_ns, cpu_ns[2];
};

static void encode_due(struct model *m, const struct upf_schedule *due, uint64_t period_ns, struct due_round *rounds)
{
	uint64_t k = 0, last = 0;

	for (size_t i = 0; i < ROUNDS; i++) {
		struct upf_sample s[2] = {{.slot = 0, .vcpu = 1}, {.slot = 1, .vcpu = 2, .state = UPF_BLOCKED}};
		struct due_round *r = &rounds[i];

		k += below(m, 5) ? 1 : below(m, 30);
		r->time_ns = upf_deadline(due, k) + (below(m, 3) ? below(m, 20000) : below(m, 3) * period_ns);
		r->time_ns = (int64_t)(r->time_ns - last) > 0 ? r->time_ns : last;
		for (int v = 0; v < 2; v++) {
			r->cpu_ns[v] = below(m, 4) ? (uint64_t)below(m, 3000) * UPF_TICK_NS * (unsigned)!v
			                           : below(m, 90) * 1000;
			s[v].cpu_ns = r->cpu_ns[v];
		}
		last = r->time_ns;
		assert_int_equal(upf_encode_round(m->encoder, 0, r->time_ns, 30000, s, 2), 0);
		if (i % 500 != 499)
			continue;
		assert_int_equal(upf_writer_block(m->writer, m->encoder), 0);
		upf_encoder_reset(m->encoder, period_ns);
		upf_encoder_schedule(m->encoder, due);
	}
}

/* Times come back rounded down by less than 1 % of the period, or a tick; CPU times add up to what went in. */
static void check_due(const struct model *m, uint64_t period_ns, const struct due_round *rounds)
{
	int fd = file_of(m->out.data, m->out.len);
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);
	struct upf_decoder *d = upf_decoder_new();
	uint64_t unit = period_ns / 100 > UPF_TICK_NS ? period_ns / 100 : UPF_TICK_NS;
	struct upf_record record;
	struct upf_block b;
	size_t i = 0;
	int rc;

	assert_true(r && d);
	while (upf_reader_next(r, &b) == 1) {
		int64_t off[2] = {0, 0};

		assert_int_equal(upf_decoder_start(d, &b), UPF_OK);
		while ((rc = upf_decoder_next(d, &record)) == 1) {
			if (record.kind == UPF_ROUND) {
				assert_true(record.time_ns <= rounds[i].time_ns);
				assert_true(rounds[i++].time_ns - record.time_ns < unit + UPF_TICK_NS);
			} else {
				off[record.vcpu - 1] +=
					(int64_t)(record.cpu_ns - rounds[i - 1].cpu_ns[record.vcpu - 1]);
				assert_true(record.cpu_ns || record.state == UPF_BLOCKED ||
				            rounds[i - 1].cpu_ns[0] < 8 * unit);
			}
			for (int v = 0; v < 2; v++)
				assert_true(off[v] < (int64_t)(4 * unit) && off[v] > -(int64_t)(8 * unit));
		}
		assert_int_equal(rc, 0);
	}
	assert_int_equal(i, ROUNDS);
	upf_decoder_free(d);
	upf_reader_close(r);
	close(fd);
}

TEST(rounds_of_a_schedule)
{
	static const uint64_t rates[] = {99000, 1000000, 333, 7777777, 1000000000};
	static struct due_round rounds[ROUNDS];

	for (size_t i = 0; i < COUNT(rates); i++) {
		struct upf_schedule due = {.start_ns = 123456789, .rate_mhz = rates[i], .seed = i};
		uint64_t period_ns = UINT64_C(1000000000000) / rates[i];
		struct model m = {.seed = i};

		if (i % 2)
			due.start_ns = -(due.start_ns / 1000); /* before the trace */
		m.encoder = upf_encoder_new(UPF_TOPS_NONE, 2, 0);
		m.writer = upf_writer_new(&some_session, collect, &m.out);
		assert_true(m.encoder && m.writer);
		upf_encoder_reset(m.encoder, period_ns);
		upf_encoder_schedule(m.encoder, &due);
		encode_due(&m, &due, period_ns, rounds);
		check_due(&m, period_ns, rounds);
		model_close(&m);
	}
}

TEST(an_empty_block_writes_nothing)
{
	static struct model m;
	size_t before;

	model_open(&m, 1);
	before = m.out.len;
	assert_int_equal(upf_writer_block(m.writer, m.encoder), 0);
	assert_int_equal(m.out.len, before);
	model_close(&m);
}

struct budget {
	size_t left;
};

static int spend(void *ctx, const void *data, size_t len)
{
	struct budget *b = ctx;

	(void)data;
	if (len > b->left)
		return -EFBIG;
	b->left -= len;
	return 0;
}

TEST(an_error_of_the_output_ends_the_trace)
{
	struct budget budget = {.left = 1000};
	struct upf_writer *w = upf_writer_new(&some_session, spend, &budget);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	const struct upf_totals totals = {0};

	assert_true(w && e);
	fill_block(e, 0);
	budget.left = 10;
	assert_int_equal(upf_writer_block(w, e), -EFBIG);
	budget.left = SIZE_MAX;
	assert_int_equal(upf_writer_block(w, e), -EFBIG);
	assert_int_equal(upf_writer_finish(w, &totals, UPF_REASON_OUTPUT), -EFBIG);
	assert_true(budget.left == SIZE_MAX);
	upf_writer_free(w);
	upf_encoder_free(e);
}
