/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading: blocks of a trace into one tree, weights, the counters, hooks, and what damage leaves. */
#include "tests/unit/unit.h"

#include "report/profile/load.h"
#include "report/unwind/cfi.h"
#include "report/unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MS 1000000u

static int put(void *ctx, const void *data, size_t len)
{
	return write(*(int *)ctx, data, len) == (ssize_t)len ? 0 : -EIO;
}

static void round_of(struct upf_encoder *e, uint32_t domain, uint64_t time, uint8_t state, const uint64_t *frames,
                     uint32_t depth)
{
	const struct upf_sample s = {.state = state, .frames = frames, .depth = depth, .cpu_ns = MS};

	assert_int_equal(upf_encode_round(e, domain, time, 20000, &s, 1), 0);
}

static void one_round(struct upf_encoder *e, uint64_t time, uint8_t state, const uint64_t *frames, uint32_t depth)
{
	round_of(e, 0, time, state, frames, depth);
}

/* Two blocks that share a stack: leaf 3, 2, 1 three times, 4, 1 once and "the same" of it. Open for reading. */
static int make_trace(void)
{
	static const uint64_t deep[] = {0x3000, 0x2000, 0x1000}, flat[] = {0x4000, 0x1000};
	const struct upf_domain domain = {.id = 1, .name = "d", .vcpus = 1};
	const struct upf_session session = {.rate_mhz = 1000,
	                                    .max_stack = 8,
	                                    .command = "c",
	                                    .recorder = "r",
	                                    .host = "h",
	                                    .hypervisor = "x",
	                                    .domains = &domain,
	                                    .ndomains = 1};
	struct upf_totals totals = {.rounds = 5, .samples = 5, .lost = 7, .duration_ns = 10 * MS};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);

	assert_non_null(w);
	upf_encoder_reset(e, MS);
	one_round(e, 0, UPF_RUNNING, deep, 3);
	one_round(e, MS, UPF_RUNNING, deep, 3);
	assert_int_equal(upf_writer_block(w, e), 0);
	upf_encoder_reset(e, MS);
	one_round(e, 2 * MS, UPF_RUNNING, flat, 2);
	assert_int_equal(upf_encode_same(e, 0, 3 * MS), 0);
	assert_int_equal(upf_encode_lost(e, 0, 4 * MS, 7, UPF_LOST_PAUSED), 0);
	one_round(e, 5 * MS, UPF_BLOCKED, deep, 3);
	assert_int_equal(upf_writer_block(w, e), 0);
	assert_int_equal(upf_writer_finish(w, &totals, UPF_REASON_DURATION), 0);
	upf_encoder_free(e);
	upf_writer_free(w);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int load(struct profile *p, int fd, const struct load_hooks *hooks)
{
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);
	int rc;

	assert_non_null(r);
	assert_int_equal(profile_init(p), 0);
	rc = load_trace(p, r, &(struct load_options){.hooks = hooks});
	upf_reader_close(r);
	close(fd);
	return rc;
}

TEST(blocks_share_a_tree)
{
	struct profile p;

	assert_int_equal(load(&p, make_trace(), NULL), 0);
	assert_int_equal(p.tree.n, 5);  /* the empty stack, 1, 2, 3, 4 */
	assert_int_equal(p.nstacks, 3); /* deep running, flat running, deep blocked */
	assert_int_equal(p.stacks[0].samples, 2);
	assert_int_equal(p.stacks[0].cpu_ns, 2 * MS);
	assert_int_equal(p.stacks[1].samples, 2);
	assert_int_equal(p.stacks[1].cpu_ns, MS); /* "the same" used no CPU */
	assert_int_equal(p.stacks[2].node, p.stacks[0].node);
	assert_int_equal(p.stacks[2].state, UPF_BLOCKED);
	profile_free(&p);
}

/* A copy that no table unwinds: its frames stand, if it has any, and are whole; the share of copies is counted, repeated ones too. */
TEST(copies_with_frames)
{
	static const uint64_t deep[] = {0x3000, 0x2000, 0x1000}, regs[UPF_REGS] = {[7] = 0x8000}, words[4] = {1, 2, 3};
	const struct upf_domain domain = {.id = 1, .arch = UPF_ARCH_X86_64, .kind = UPF_KIND_PV, .vcpus = 1};
	const struct upf_session session = {.rate_mhz = 1000,
	                                    .max_stack = 8,
	                                    .tops = UPF_TOPS_MIXED,
	                                    .tops_size = 64,
	                                    .copy_size = 64,
	                                    .domains = &domain,
	                                    .ndomains = 1};
	struct upf_sample s = {.frames = deep, .sp = 0x8000, .words = words, .nwords = 4, .regs = regs, .cpu_ns = MS};
	const uint32_t depths[] = {3, 1, 3, 3};
	const uint8_t tops[] = {UPF_TOPS_COPY, UPF_TOPS_COPY, UPF_TOPS_WINDOW, UPF_TOPS_COPY};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_MIXED, 1, 8);
	struct symbols symbols = {0};
	struct program program = {0};
	const struct binaries binaries = {.programs = &program, .nprograms = 1};

	assert_int_equal(symbols_sort(&symbols), 0);
	program.cfi = cfi_new(&symbols);
	upf_encoder_reset(e, MS);
	for (unsigned i = 0; i < COUNT(depths); i++) {
		s.depth = depths[i];
		s.tops = tops[i];
		s.end = tops[i] == UPF_TOPS_COPY ? UPF_END_UNMAPPED : UPF_END_ROOT;
		assert_int_equal(upf_encode_round(e, 0, i * MS, 20000, &s, 1), 0);
	}
	for (unsigned i = 4; i < 7; i++)
		assert_int_equal(upf_encode_same(e, 0, i * MS), 0);
	assert_int_equal(upf_writer_block(w, e), 0);
	assert_int_equal(upf_writer_finish(w, &(struct upf_totals){.samples = 7}, UPF_REASON_DURATION), 0);
	upf_encoder_free(e);
	upf_writer_free(w);
	for (int by_cfi = 0; by_cfi < 2; by_cfi++) {
		enum upf_fault fault;
		struct profile p;
		struct upf_reader *r;

		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		r = upf_reader_open(fd, &fault, NULL);
		assert_non_null(r);
		assert_int_equal(profile_init(&p), 0);
		assert_int_equal(load_trace(&p, r, &(struct load_options){.binaries = by_cfi ? &binaries : NULL}), 0);
		assert_int_equal(p.counters.copied[UPF_RUNNING], 6);
		assert_int_equal(p.counters.end[UPF_RUNNING][UPF_END_ROOT], 6);
		assert_int_equal(p.counters.end[UPF_RUNNING][by_cfi ? CHAIN_END_UNKNOWN : UPF_END_UNMAPPED], 1);
		assert_int_equal(p.tree.n, 5); /* the empty stack, 1, 2, 3, and 3 alone */
		profile_free(&p);
		upf_reader_close(r);
	}
	close(fd);
	cfi_free(program.cfi);
	symbols_free(&symbols);
}

TEST(counters)
{
	struct profile p;

	assert_int_equal(load(&p, make_trace(), NULL), 0);
	assert_int_equal(p.counters.samples, 5);
	assert_int_equal(p.counters.rounds, 5);
	assert_int_equal(p.counters.pause.count, 4);
	assert_int_equal(p.counters.pause.sum_ns, 80000);
	assert_int_equal(counters_lost(&p.counters), 7);
	assert_int_equal(p.counters.lost[UPF_LOST_PAUSED], 7);
	assert_int_equal(p.counters.state[UPF_BLOCKED], 1);
	assert_int_equal(p.counters.last_ns, 5 * MS);
	assert_int_equal(profile_count(&p, STATES_CPU), 4);
	profile_free(&p);
}

struct heard {
	unsigned blocks, samples, others, stop_at;
};

static int hear_block(void *ctx, const struct upf_block *b)
{
	struct heard *h = ctx;

	h->blocks += b->fault == UPF_OK;
	return 0;
}

static int hear_record(void *ctx, const struct upf_block *b, const struct upf_record *rec, uint32_t node)
{
	struct heard *h = ctx;

	(void)b;
	if (rec->kind == UPF_SAMPLE) {
		assert_int_not_equal(node, 0);
		h->samples++;
	} else {
		h->others++;
	}
	return h->samples == h->stop_at ? -ECANCELED : 0;
}

TEST(hooks_hear_everything)
{
	struct heard heard = {0};
	struct load_hooks hooks = {.ctx = &heard, .block = hear_block, .record = hear_record};
	struct profile p;

	heard.stop_at = 99;
	assert_int_equal(load(&p, make_trace(), &hooks), 0);
	assert_int_equal(heard.blocks, 3);
	assert_int_equal(heard.samples, 5);
	assert_int_equal(heard.others, 6); /* 4 rounds, the same, lost */
	profile_free(&p);
	heard = (struct heard){.stop_at = 2};
	assert_int_equal(load(&p, make_trace(), &hooks), -ECANCELED);
	assert_int_equal(heard.samples, 2);
	profile_free(&p);
}

/* Whatever byte is changed, what is loaded is part of what was recorded. */
TEST(damage_invents_nothing)
{
	int fd = make_trace();
	off_t size = lseek(fd, 0, SEEK_END);

	close(fd);
	for (off_t at = 0; at < size; at++) {
		enum upf_fault fault;
		struct upf_reader *r;
		struct profile p;
		uint8_t byte;

		fd = make_trace();
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 0x41;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		r = upf_reader_open(fd, &fault, NULL);
		if (r) {
			assert_int_equal(profile_init(&p), 0);
			assert_int_equal(load_trace(&p, r, NULL), 0);
			assert_true(p.counters.samples <= 5 && p.tree.n <= 5);
			profile_free(&p);
		}
		upf_reader_close(r);
		close(fd);
	}
}

/* Blocks enough to keep threads busy, their stacks partly shared. */
static int make_long_trace(void)
{
	const struct upf_session session = {
		.rate_mhz = 1000, .max_stack = 8, .command = "c", .recorder = "r", .host = "h", .hypervisor = "x"};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);
	uint64_t random = 88172645463325252u;

	assert_non_null(w);
	for (unsigned block = 0; block < 100; block++) {
		upf_encoder_reset(e, MS);
		for (unsigned i = 0; i < 50; i++) {
			uint64_t frames[5];

			for (unsigned k = 0; k < 5; k++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				frames[k] = 0x1000 * (k + 1) + (random >> 33) % (k < 2 ? 50 : 3);
			}
			round_of(e, i / 3 % 3, (block * 50 + i) * (uint64_t)MS,
			         random >> 63 ? UPF_RUNNING : UPF_BLOCKED, frames, i % 6);
		}
		assert_int_equal(upf_encode_lost(e, 0, block * 50 * (uint64_t)MS, block, UPF_LOST_PAUSED), 0);
		assert_int_equal(upf_writer_block(w, e), 0);
	}
	assert_int_equal(
		upf_writer_finish(w, &(struct upf_totals){.rounds = 5000, .samples = 5000}, UPF_REASON_DURATION), 0);
	upf_encoder_free(e);
	upf_writer_free(w);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The third of the trace's domains shares the first one's program. */
static void load_long(struct profile *p, unsigned threads, off_t damaged, size_t nprograms)
{
	struct program programs[2] = {0};
	uint32_t program_of[] = {0, 1, 0};
	struct boot boots[] = {{.domain = 0}, {.domain = 1}, {.domain = 2}};
	size_t first[] = {0, 1, 2, 3};
	const struct binaries binaries = {.programs = programs,
	                                  .nprograms = nprograms,
	                                  .program_of = program_of,
	                                  .boots = {.list = boots, .n = 3, .first = first, .ndomains = 3}};
	int fd = make_long_trace();
	enum upf_fault fault;
	struct upf_reader *r;

	if (damaged)
		assert_int_equal(pwrite(fd, "damage", 6, damaged), 6);
	r = upf_reader_open(fd, &fault, NULL);
	assert_non_null(r);
	assert_int_equal(profile_init(p), 0);
	assert_int_equal(load_trace(p, r, &(struct load_options){.threads = threads, .binaries = &binaries}), 0);
	upf_reader_close(r);
	close(fd);
}

/* A node tells the program, and domains of several have nothing in common but the empty stack. */
TEST(programs_are_apart)
{
	struct profile apart, together;
	size_t other = 0;

	load_long(&together, 1, 0, 1);
	load_long(&apart, 1, 0, 2);
	assert_int_equal(apart.counters.samples, together.counters.samples);
	assert_false(together.tree.has_programs);
	assert_true(apart.tree.has_programs);
	for (size_t i = 0; i < apart.nstacks; i++) {
		const struct stack *s = &apart.stacks[i];

		assert_int_equal(calltree_program_of(&apart.tree, s->node), s->node != 0 && s->domain == 1);
		assert_false(apart.tree.nodes[s->node].flags & CALLTREE_PROGRAM);
		other += s->node != 0 && s->domain == 1;
	}
	assert_true(other > 0);
	assert_int_equal(apart.nstacks, together.nstacks);
	for (size_t i = 0; i < together.nstacks; i++)
		assert_int_equal(calltree_program_of(&together.tree, together.stacks[i].node), 0);
	profile_free(&apart);
	profile_free(&together);
}

/* To the last number of a node: whatever shows stacks in the order they came in shows the same. */
TEST(threads_change_nothing)
{
	struct profile one, several;

	for (int damaged = 0; damaged < 2; damaged++) {
		load_long(&one, 1, damaged ? 9000 : 0, 2);
		assert_true(damaged ? one.counters.samples < 5000 : one.counters.samples == 5000);
		for (unsigned threads = 2; threads < 6; threads++) {
			load_long(&several, threads, damaged ? 9000 : 0, 2);
			assert_int_equal(one.tree.n, several.tree.n);
			for (size_t i = 0; i < one.tree.n; i++) {
				assert_int_equal(one.tree.nodes[i].address, several.tree.nodes[i].address);
				assert_int_equal(one.tree.nodes[i].parent, several.tree.nodes[i].parent);
			}
			assert_int_equal(one.nstacks, several.nstacks);
			assert_memory_equal(one.stacks, several.stacks, one.nstacks * sizeof(*one.stacks));
			assert_memory_equal(&one.counters, &several.counters, offsetof(struct counters, bad_blocks));
			assert_int_equal(one.counters.bad_blocks, several.counters.bad_blocks);
			profile_free(&several);
		}
		profile_free(&one);
	}
}

/*
 * Each sample's leaf lies as far above the one before: a pattern that compresses to next to nothing, and stacks
 * without end.
 */
static int make_bomb(void)
{
	const struct upf_session session = {
		.rate_mhz = 1000, .max_stack = 8, .command = "c", .recorder = "r", .host = "h", .hypervisor = "x"};
	int fd = memfd_create("trace", 0);
	struct upf_writer *w = upf_writer_new(&session, put, &fd);
	struct upf_encoder *e = upf_encoder_new(UPF_TOPS_NONE, 0, 0);

	assert_non_null(w);
	for (uint64_t n = 0; n < 200000; n++) {
		const uint64_t frame = 0x100000 + n * 16;

		if (n % 10000 == 0)
			upf_encoder_reset(e, MS);
		one_round(e, n * MS, UPF_RUNNING, &frame, 1);
		if (n % 10000 == 9999)
			assert_int_equal(upf_writer_block(w, e), 0);
	}
	upf_encoder_free(e);
	upf_writer_free(w);
	return fd;
}

/* Such a file gets no memory beyond what its size is worth; read in one piece and by threads. */
TEST(out_of_proportion)
{
	enum upf_fault fault;
	int fd = make_bomb();

	for (unsigned threads = 1; threads < 3; threads++) {
		struct upf_reader *r;
		struct profile p;

		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		r = upf_reader_open(fd, &fault, NULL);
		assert_int_equal(profile_init(&p), 0);
		assert_int_equal(load_trace(&p, r, &(struct load_options){.threads = threads, .memory = 1}), -EFBIG);
		assert_in_range(profile_bytes(&p), 100000, 40 * (uint64_t)lseek(fd, 0, SEEK_END) + 10000000);
		upf_reader_close(r);
		profile_free(&p);
	}
	close(fd);
}
