/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows, copies, registers and what few samples have: what went in comes out, repeated and predicted ones too, one
 * kind in a block or all of them, and the largest rounds fit.
 */
#include "tests/unit/format/trace.h"

#include <malloc.h>

#include "format/samples/columns.h"
#include "format/samples/copies.h"
#include "format/write/packer.h"
#include "format/samples/windows.h"

#define SAMPLES_MAX 20000
#define VCPUS 3
#define WORDS 64

/* What one sample went in with. */
struct want {
	uint64_t sp, fp, regs[UPF_REGS_MAX], words[WORDS], root, link;
	uint32_t vcpu, nwords, nregs;
	uint8_t state, mode, tops;
	bool none;
};

struct model {
	uint64_t seed;
	enum upf_tops tops;
	bool more; /* samples have modes, address spaces, link registers, and registers without a copy */
	struct want now[VCPUS], *list;
	size_t n;
};

/* The windows and copies of a block. */
struct tops {
	struct top {
		uint64_t words[WORDS];
		uint32_t number, nwords;
		enum upf_tops tops;
		uint64_t link;
		uint8_t mode;
	} top[SAMPLES_MAX];
	size_t n;
};

static uint32_t below(struct model *m, uint32_t n)
{
	return (uint32_t)(pseudo(&m->seed) % n);
}

static void change_more(struct model *m, struct want *w)
{
	static const uint32_t counts[] = {UPF_REGS, UPF_REGS_I386, UPF_REGS_ARM64, UPF_REGS_ARM32};
	static const uint8_t states[] = {UPF_RUNNING, UPF_RUNNABLE, UPF_BLOCKED, UPF_OFFLINE, UPF_VMM};

	w->state = states[below(m, COUNT(states))];
	w->mode = below(m, 4) ? 0 : (uint8_t)below(m, UPF_ARCH_X86_16 + 1);
	w->root = below(m, 5) ? 0x1000 * below(m, 6) : pseudo(&m->seed);
	w->link = below(m, 3) ? 0xffffffff81000000 + 4 * below(m, 50) : below(m, 2) * pseudo(&m->seed);
	if (w->tops == UPF_TOPS_COPY || below(m, 2))
		w->nregs = counts[below(m, 8) ? 0 : below(m, COUNT(counts))];
}

/* Most of a stack stays as it was. */
static void change(struct model *m, struct want *w)
{
	w->none = below(m, 30) == 0;
	if (w->sp && below(m, 2))
		return;
	w->sp = 0xffff800000010000 + 8 * below(m, 16) + (below(m, 20) ? 0 : below(m, 8));
	w->fp = below(m, 10) ? w->sp + 8 * below(m, 20) : pseudo(&m->seed);
	w->nwords = below(m, 40) ? below(m, WORDS) : 0;
	for (int i = 0; i < 3; i++)
		w->words[below(m, WORDS)] = below(m, 2) ? 0 : pseudo(&m->seed) >> below(m, 60);
	w->tops = (uint8_t)(m->tops == UPF_TOPS_MIXED ? below(m, 3) : m->tops);
	w->nregs = w->tops == UPF_TOPS_COPY ? UPF_REGS : 0;
	if (m->more)
		change_more(m, w);
	w->regs[below(m, UPF_REGS_MAX)] = pseudo(&m->seed);
	if (w->nregs) {
		w->regs[upf_regs_fp(w->nregs)] = w->fp;
		w->regs[upf_regs_sp(w->nregs)] = w->sp;
	}
}

static void expect_sample(struct model *m, const struct want *w)
{
	assert_true(m->n < SAMPLES_MAX);
	m->list[m->n++] = *w;
}

static void encode(struct model *m, struct upf_encoder *e, struct upf_writer *writer, uint64_t time)
{
	static const uint64_t pool[] = {0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000400,
	                                0xffffffff81001000};
	struct upf_sample s[VCPUS];
	uint64_t frames[VCPUS][4];
	int rc;

	for (uint32_t v = 0; v < VCPUS; v++) {
		struct want *w = &m->now[v];

		change(m, w);
		w->vcpu = v;
		for (int i = 0; i < 4; i++)
			frames[v][i] = pool[below(m, 4)];
		s[v] = (struct upf_sample){.vcpu = v,
		                           .slot = v,
		                           .sp = w->sp,
		                           .fp = w->fp,
		                           .words = w->words,
		                           .nwords = w->nwords,
		                           .regs = w->regs,
		                           .nregs = m->more ? w->nregs : 0,
		                           .tops = w->tops,
		                           .state = w->state,
		                           .mode = w->mode,
		                           .root = w->root,
		                           .link = w->link,
		                           .frames = frames[v],
		                           .depth = w->none ? 0 : 1 + below(m, 4),
		                           .end = w->none ? UPF_END_NONE : UPF_END_ROOT};
	}
	rc = upf_encode_round(e, 0, time, 1000, s, VCPUS);
	if (rc == -ENOSPC) {
		assert_int_equal(upf_writer_block(writer, e), 0);
		upf_encoder_reset(e, 1000000);
		rc = upf_encode_round(e, 0, time, 1000, s, VCPUS);
	}
	assert_int_equal(rc, 0);
	for (uint32_t v = 0; v < VCPUS; v++)
		expect_sample(m, &m->now[v]);
	if (below(m, 4) || upf_encode_same(e, 0, time + 1000) != 0)
		return;
	for (uint32_t v = 0; v < VCPUS; v++)
		expect_sample(m, &m->now[v]);
}

/* No window of a block has the number of a copy; alike ones have one number. */
static void check_number(struct tops *tops, const struct upf_record *r)
{
	size_t i = 0;

	while (i < tops->n && tops->top[i].number != r->top)
		i++;
	if (i == tops->n) {
		assert_true(tops->n < COUNT(tops->top));
		tops->top[tops->n++] = (struct top){.number = r->top,
		                                    .tops = r->tops,
		                                    .nwords = r->nwords,
		                                    .link = r->tops == UPF_TOPS_COPY ? 0 : r->link,
		                                    .mode = r->tops == UPF_TOPS_COPY ? 0 : r->mode};
		if (r->nwords)
			memcpy(tops->top[i].words, r->words, r->nwords * sizeof(*r->words));
	}
	assert_int_equal(tops->top[i].tops, r->tops);
	if (r->tops != UPF_TOPS_COPY)
		assert_true(tops->top[i].link == r->link && tops->top[i].mode == r->mode);
	assert_int_equal(tops->top[i].nwords, r->nwords);
	if (r->nwords)
		assert_memory_equal(tops->top[i].words, r->words, r->nwords * sizeof(*r->words));
}

static void check_sample(struct tops *tops, const struct upf_record *r, const struct want *w)
{
	assert_int_equal(r->vcpu, w->vcpu);
	assert_int_equal(r->state, w->state);
	assert_int_equal(r->mode, w->mode);
	assert_true(r->root == w->root && r->link == w->link);
	assert_int_equal(r->tops, w->none ? UPF_TOPS_NONE : w->tops);
	assert_int_equal(r->nregs, w->none ? 0 : w->nregs);
	assert_true((r->regs != NULL) == (r->nregs != 0) &&
	            (r->top != 0) == (r->tops != UPF_TOPS_NONE || r->link || r->mode));
	if (r->nregs)
		assert_memory_equal(r->regs, w->regs, w->nregs * sizeof(*w->regs));
	if (r->top)
		check_number(tops, r);
	if (r->tops == UPF_TOPS_NONE)
		return;
	assert_true(r->sp == w->sp && r->fp == w->fp && r->nwords == w->nwords);
	assert_memory_equal(r->words, w->words, w->nwords * sizeof(*w->words));
}

static size_t check_block(const struct model *m, struct upf_decoder *d, const struct upf_block *b, size_t i)
{
	struct tops *tops = calloc(1, sizeof(*tops));
	struct upf_record r;
	int rc;

	assert_non_null(tops);
	assert_int_equal(upf_decoder_start(d, b), UPF_OK);
	while ((rc = upf_decoder_next(d, &r)) > 0)
		if (r.kind == UPF_SAMPLE)
			check_sample(tops, &r, &m->list[i++]);
	assert_int_equal(rc, 0);
	free(tops);
	return i;
}

static void check_all(const struct model *m, const struct bytes *out)
{
	int fd = memfd_create("trace", 0);
	enum upf_fault fault;
	struct upf_reader *r;
	struct upf_decoder *d = upf_decoder_new();
	struct upf_block b;
	size_t i = 0, blocks = 0;

	assert_true(fd >= 0 && d && write(fd, out->data, out->len) == (ssize_t)out->len);
	lseek(fd, 0, SEEK_SET);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	assert_int_equal(upf_reader_session(r)->tops, m->tops);
	assert_int_equal(upf_reader_session(r)->tops_size, m->tops ? WORDS * UPF_WORD : 0);
	assert_int_equal(upf_reader_session(r)->copy_size, m->tops ? 2 * WORDS * UPF_WORD : 0);
	while (upf_reader_next(r, &b) > 0) {
		assert_int_equal(b.fault, UPF_OK);
		blocks++;
		if (b.type == UPF_BLOCK_SAMPLES)
			i = check_block(m, d, &b, i);
	}
	assert_int_equal(i, m->n);
	assert_true(blocks > 1);
	upf_reader_close(r);
	upf_decoder_free(d);
	close(fd);
}

static void come_back(enum upf_tops tops, bool more)
{
	struct upf_session session = some_session;
	const struct upf_totals totals = {0};

	session.tops = (uint8_t)tops;
	session.tops_size = WORDS * UPF_WORD;
	session.copy_size = 2 * WORDS * UPF_WORD;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct model m = {
			.seed = seed, .tops = tops, .more = more, .list = calloc(SAMPLES_MAX, sizeof(*m.list))};
		struct bytes out = {0};
		struct upf_encoder *e = upf_encoder_new(tops, VCPUS, WORDS);
		struct upf_writer *w = upf_writer_new(&session, collect, &out);

		assert_true(m.list && e && w);
		upf_encoder_reset(e, 1000000);
		for (uint64_t i = 1; i <= 2500; i++) {
			encode(&m, e, w, i * 1000000);
			if (i % 400 == 0) {
				assert_int_equal(upf_writer_block(w, e), 0);
				upf_encoder_reset(e, 1000000);
			}
		}
		assert_int_equal(upf_writer_block(w, e), 0);
		assert_int_equal(upf_writer_finish(w, &totals, UPF_REASON_SIGNAL), 0);
		check_all(&m, &out);
		upf_writer_free(w);
		upf_encoder_free(e);
		free(out.data);
		free(m.list);
	}
}

TEST(windows_come_back)
{
	come_back(UPF_TOPS_WINDOW, false);
	come_back(UPF_TOPS_WINDOW, true);
}

TEST(copies_come_back)
{
	come_back(UPF_TOPS_COPY, false);
	come_back(UPF_TOPS_COPY, true);
}

TEST(both_come_back)
{
	come_back(UPF_TOPS_MIXED, false);
	come_back(UPF_TOPS_MIXED, true);
	come_back(UPF_TOPS_NONE, true);
}

/* The largest round of @n vCPUs, nothing in it compressible, goes into an empty block; so do all blocks after it. */
static void largest(enum upf_tops tops, uint32_t n, uint32_t depth, uint32_t words, uint32_t nregs)
{
	struct upf_encoder *e = upf_encoder_new(tops, n, words);
	uint64_t *random = calloc((size_t)n * (depth + words + UPF_REGS_MAX), sizeof(*random)), seed = n;
	struct upf_sample *s = calloc(n, sizeof(*s));
	uint8_t *payload = malloc(UPF_RAW_MAX);

	assert_true(e && random && s && payload);
	for (int round = 0; round < 3; round++) {
		uint64_t *at = random;

		for (size_t i = 0; i < (size_t)n * (depth + words + UPF_REGS_MAX); i++)
			random[i] = pseudo(&seed) | UINT64_C(1) << 63;
		for (uint32_t v = 0; v < n; v++) {
			s[v] = (struct upf_sample){.vcpu = v,
			                           .slot = v,
			                           .sp = at[0],
			                           .fp = at[1],
			                           .frames = at,
			                           .depth = depth,
			                           .words = at + depth,
			                           .nwords = words,
			                           .regs = at + depth + words,
			                           .nregs = nregs,
			                           .tops = UPF_TOPS_COPY,
			                           .root = at[0],
			                           .link = at[1],
			                           .mode = UPF_ARCH_ARM64,
			                           .cpu_ns = at[2],
			                           .state = v % 3};
			at += depth + words + UPF_REGS_MAX;
		}
		upf_encoder_reset(e, 1000);
		assert_int_equal(upf_encode_round(e, 0, seed, 1, s, n), 0);
		assert_true(encoder_payload(e, NULL, payload).raw_size <= UPF_RAW_MAX);
	}
	free(payload);
	free(s);
	free(random);
	upf_encoder_free(e);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

TEST(largest_rounds_fit)
{
	static const uint32_t vcpus[] = {1, 2, 8, 26, 128, 512, 1024};

	for (size_t i = 0; i < COUNT(vcpus); i++) {
		uint32_t n = vcpus[i], frames = UPF_ROUND_FRAMES_MAX / n, window = UPF_ROUND_WINDOW_MAX / n,
			 copy = UPF_ROUND_COPY_MAX / n - 32;

		largest(UPF_TOPS_WINDOW, n, least(frames, UPF_DEPTH_MAX), least(window, UPF_WINDOW_MAX), 0);
		largest(UPF_TOPS_WINDOW, n, least(frames, UPF_DEPTH_MAX), least(window, UPF_WINDOW_MAX), UPF_REGS_MAX);
		largest(UPF_TOPS_COPY, n, 3, least(copy, UPF_COPY_MAX), UPF_REGS_MAX);
		largest(UPF_TOPS_MIXED, n, least(UPF_ROUND_COPY_FRAMES_MAX / n, UPF_DEPTH_MAX),
		        least(copy, UPF_COPY_MAX), UPF_REGS_MAX);
	}
}

/* --- what no encoder writes -------------------------------------------------------------------------------------- */

static struct column_reader reader_of(struct column_writer *w)
{
	struct column_reader r = {0};

	for (int c = 0; c < COLUMNS; c++)
		r.column[c] = cursor_of(w->column[c].data, w->column[c].len);
	return r;
}

/* A copy may leave alone only what the copy before had: else three bytes would make 64 KiB. */
TEST(copies_from_nothing)
{
	static const struct {
		uint32_t words, skip;
	} bad[] = {{100, 100}, {100, 1}, {UPF_COPY_MAX + 1, 0}, {1, 2}};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct copies *c = copies_new(0, 0);
		struct column_reader r;
		struct column_writer w = {0};

		assert_true(columns_alloc(&w));
		for (unsigned reg = 0; reg < UPF_REGS; reg++)
			add_zigzag(&w, COLUMN_REG, 0x1000);
		add_varint(&w, COLUMN_COPY, bad[i].words);
		add_varint(&w, COLUMN_COPY_SKIP, bad[i].skip);
		r = reader_of(&w);
		assert_int_equal(copies_get_regs(c, &r, 0, 0, UPF_REGS), 0);
		assert_int_equal(copies_get(c, &r, 0, 0), -EBADMSG);
		copies_free(c);
		columns_free(&w);
	}
}

static void get_copy(struct copies *c, uint32_t vcpu, uint32_t words, bool coded)
{
	struct column_reader r;
	struct column_writer w = {0};

	assert_true(columns_alloc(&w));
	for (unsigned reg = 0; reg < UPF_REGS; reg++)
		add_zigzag(&w, COLUMN_REG, 0);
	add_varint(&w, COLUMN_COPY, words);
	add_varint(&w, COLUMN_COPY_SKIP, coded ? 0 : words);
	for (uint32_t i = 0; coded && i < words; i++) {
		if (i)
			add_varint(&w, COLUMN_COPY_SKIP, 0);
		add_zigzag(&w, COLUMN_COPY_WORD, 1);
	}
	r = reader_of(&w);
	assert_int_equal(copies_get_regs(c, &r, 0, vcpu, UPF_REGS), 0);
	assert_int_equal(copies_get(c, &r, 0, vcpu), 0);
	columns_free(&w);
}

/* A large copy that comes again takes few bytes: the room for it must not stay with every small one. */
TEST(small_copies_take_little)
{
	struct copies *c = copies_new(0, 0);
	size_t before;

	get_copy(c, 0, UPF_COPY_MAX, true);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (uint32_t vcpu = 1; vcpu < 2000; vcpu++) {
		get_copy(c, 0, UPF_COPY_MAX, false);
		get_copy(c, vcpu, vcpu % 2, true);
	}
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + (8u << 20));
	copies_free(c);
}

TEST(windows_not_there)
{
	static const uint64_t bad[] = {0, 3, 5, 6, UINT64_MAX}; /* recent where nothing was; listed before any was */
	const struct upf_node nodes[] = {{0}, {.address = 0x1000}};
	uint64_t sp;
	uint32_t top;

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct windows *win = windows_new(0);
		struct column_reader r;
		struct column_writer w = {0};

		assert_true(columns_alloc(&w));
		add_varint(&w, COLUMN_TOP, bad[i]);
		add_zigzag(&w, COLUMN_SP, 0);
		r = reader_of(&w);
		assert_int_equal(windows_get(win, &r, nodes, 1, &top, &sp), -EBADMSG);
		windows_free(win);
		columns_free(&w);
	}
}

/* A window that is all as its base takes two bytes: else a block of 1 MiB would make 2 GiB. */
TEST(windows_beyond_a_block)
{
	const uint32_t n = UPF_WINDOWS_MAX / UPF_WINDOW_MAX;
	const struct upf_node nodes[] = {{0}, {.address = 0x1000}};
	struct windows *win = windows_new(0);
	uint64_t sp;
	uint32_t top;

	for (uint32_t i = 0; i <= n; i++) {
		struct column_reader r;
		struct column_writer w = {0};

		assert_true(columns_alloc(&w));
		add_varint(&w, COLUMN_TOP, 4);
		add_zigzag(&w, COLUMN_SP, 0);
		add_zigzag(&w, COLUMN_FP, 0);
		add_zigzag(&w, COLUMN_SIZE, i ? 0 : UPF_WINDOW_MAX);
		add_varint(&w, COLUMN_SKIP, UPF_WINDOW_MAX);
		r = reader_of(&w);
		assert_int_equal(windows_get(win, &r, nodes, 1, &top, &sp), i < n ? 0 : -EBADMSG);
		columns_free(&w);
	}
	windows_free(win);
}
