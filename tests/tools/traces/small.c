/* SPDX-License-Identifier: BSD-2-Clause */
/* small.c - traces of a few samples, each of some kinds of record. */
#include "tests/tools/traces/kinds.h"

/* tests/cli/report.syms names them: main 0x1000, work 0x1100, leaf 0x1200, idle 0x1300, "odd;name" 0x1400. */
static const uint64_t in_work[] = {0x1110, 0x1010, 0}, in_leaf[] = {0x1210, 0x1150, 0x1010, 0},
		      at_end[] = {0x1220, 0x1100, 0}, recursive[] = {0x1120, 0x1150, 0x1150, 0x1010, 0},
		      idling[] = {0x1308, 0}, unknown[] = {0x1250, 0xdead0000, 0}, odd[] = {0x1404, 0x1010, 0},
		      none[] = {0};

static void two_vcpus(struct maker *m, uint64_t pause_us, const uint64_t *frames, unsigned times)
{
	while (times-- > 0) {
		const struct upf_sample samples[] = {sample(0, UPF_RUNNING, frames), sample(1, UPF_BLOCKED, idling)};

		round_of(m, 0, pause_us * 1000, samples, 2);
	}
}

static void one_of(struct maker *m, const uint64_t *frames, enum upf_end why)
{
	struct upf_sample s = sample(0, UPF_RUNNING, frames);

	s.end = (uint8_t)why;
	round_of(m, 0, 50000, &s, 1);
}

static void small_records(struct maker *m)
{
	check(upf_encode_event(m->encoder, 0, m->now, UPF_EVENT_START, 0), "event");
	two_vcpus(m, 40, in_work, 3);
	two_vcpus(m, 42, in_leaf, 4);
	same(m, 0, 2);
	check(upf_encode_lost(m->encoder, 0, m->now, 5, UPF_LOST_WRITER), "lost");
	m->totals.lost += 5;
	check(upf_encode_late(m->encoder, 0, m->now, 2), "late");
	m->totals.late += 2;
	flush(m);
	two_vcpus(m, 100, recursive, 2);
	one_of(m, at_end, UPF_END_ROOT);
	one_of(m, unknown, UPF_END_UNMAPPED);
	one_of(m, odd, UPF_END_DEPTH);
	flush(m);
	two_vcpus(m, 45, in_work, 2);
}

void make_small(struct maker *m)
{
	start(m, 1);
	small_records(m);
	finish(m);
}

void make_killed(struct maker *m)
{
	start(m, 1);
	small_records(m);
	flush(m);
}

void make_idle(struct maker *m)
{
	const struct upf_sample samples[] = {sample(0, UPF_BLOCKED, idling), sample(1, UPF_OFFLINE, none)};

	start(m, 1);
	round_of(m, 0, 30000, samples, 2);
	for (int i = 0; i < 9; i++)
		same(m, 0, 2);
	finish(m);
}

/*
 * Three address spaces, of which one is not known. The same addresses are the kernel's and two programs' functions:
 * each is told apart.
 */
void make_spaces(struct maker *m)
{
	static const struct {
		uint64_t root;
		bool user;
		const uint64_t *frames;
		unsigned times;
	} kinds[] = {
		{0x7a000, false, in_work, 4}, {0x7a000, true, in_work, 3}, {0x1f0000, true, in_work, 2},
		{0x1f0000, true, in_leaf, 2}, {0, false, in_leaf, 1},
	};

	start(m, 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct upf_sample s = sample(0, UPF_RUNNING, kinds[i].frames);

		s.user = kinds[i].user;
		s.root = kinds[i].root;
		for (unsigned n = 0; n < kinds[i].times; n++)
			round_of(m, 0, 40000, &s, 1);
		same(m, 0, 1);
	}
	finish(m);
}

/*
 * The words at the top of the stack tell a function's caller at its first instruction: of work, while it runs, twice;
 * of leaf, while the vCPU is blocked, three times. Of idle, blocked four times, they do not tell it.
 */
void make_windows(struct maker *m)
{
	static const uint64_t first_of_work[] = {0x1100, 0}, first_of_leaf[] = {0x1200, 0x1010, 0},
			      first_of_idle[] = {0x1300, 0};
	static const struct {
		const uint64_t *frames;
		uint8_t state;
		uint64_t word;
		unsigned times;
	} kinds[] = {
		{first_of_work, UPF_RUNNING, 0x1010, 2},
		{first_of_leaf, UPF_BLOCKED, 0x1150, 3},
		{first_of_idle, UPF_BLOCKED, 0, 4},
	};
	struct upf_session session = plain_session;

	session.ndomains = 1;
	session.tops = UPF_TOPS_WINDOW;
	session.tops_size = 8;
	start_session(m, &session);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct upf_sample s = sample(0, kinds[i].state, kinds[i].frames);

		s.sp = 0x7000;
		s.fp = 0x7040;
		s.words = &kinds[i].word;
		s.nwords = 1;
		for (unsigned n = 0; n < kinds[i].times; n++)
			round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}

/* All registers, and general ones, of a vCPU in user mode; then nothing runs. One register is of a later version. */
void make_registers(struct maker *m)
{
	static const uint64_t regs[UPF_REGS] = {0x10, 0x11, 0x12, 0x1204, 0x14, 0x15, 0x7ffe0030, 0x7ffe0004};
	static const uint64_t words[] = {0x1150, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1010, 0x7ffe0100};
	struct register_set set = {
		.code_size = 9, .code_before = 4, .code = {0x90, 0x90, 0x90, 0x90, 0x48, 0x89, 0xe5, 0xc3, 0xcc}};
	struct upf_session session = plain_session;
	struct upf_sample s[] = {sample(0, UPF_RUNNING, in_leaf), sample(1, UPF_OFFLINE, none)};

	session.ndomains = 1;
	session.tops = UPF_TOPS_COPY;
	session.tops_size = sizeof(words);
	start_session(m, &session);
	upf_registers_add(&set, REGISTER_RIP, 0x1210);
	upf_registers_add(&set, REGISTER_RFLAGS, 0x3246);
	upf_registers_add(&set, REGISTER_CS, 0x33);
	upf_registers_add(&set, REGISTER_ES_ATTRIBUTES + SEGMENT_CS, 0xafb);
	upf_registers_add(&set, REGISTER_CR0 + 3, 0x1000); /* a function's address, too */
	upf_registers_add(&set, REGISTER_LSTAR, 0x1300);
	upf_registers_add(&set, 5000, UINT64_MAX);
	s[0].user = true;
	s[0].sp = regs[7];
	s[0].fp = regs[6];
	s[0].regs = regs;
	s[0].words = words;
	s[0].nwords = sizeof(words) / sizeof(words[0]);
	s[0].registers = &set;
	s[1].end = UPF_END_NONE;
	check(upf_encode_event(m->encoder, 0, m->now, UPF_EVENT_PAUSED, 0), "event");
	round_of(m, 0, 40000, s, 2);
	same(m, 0, 2);
	s[0].sp += 4;
	s[0].nwords = 3;
	set.of[1].value = 0x202;
	round_of(m, 0, 40000, s, 2);
	finish(m);
}

void make_empty(struct maker *m)
{
	start(m, 1);
	finish(m);
}

static void domains_records(struct maker *m)
{
	two_vcpus(m, 40, in_work, 3);
	for (int i = 0; i < 2; i++) {
		struct upf_sample s = sample(0, UPF_RUNNING, in_leaf);

		round_of(m, 1, 20000, &s, 1);
	}
	finish(m);
}

void make_domains(struct maker *m)
{
	start(m, 2);
	domains_records(m);
}

/* As "domains", a second later. */
void make_later(struct maker *m)
{
	struct upf_session session = plain_session;

	session.ndomains = 2;
	session.start_real_ns += 1000 * (uint64_t)MS;
	session.start_mono_ns += 1000 * (uint64_t)MS;
	start_session(m, &session);
	domains_records(m);
}

/* As "domains", a minute later on another host, which gave its guests the same numbers. */
void make_elsewhere(struct maker *m)
{
	const struct upf_domain domains[] = {
		{.id = 3, .uuid = {9}, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "mail"},
		{.id = 7, .uuid = {8}, .kind = UPF_KIND_PVH, .arch = UPF_ARCH_X86_64, .vcpus = 1, .name = "news"},
	};
	struct upf_session session = plain_session;

	session.trace_id[0] = 99;
	session.ndomains = 2;
	session.domains = domains;
	session.host = "dom0.elsewhere";
	session.start_real_ns += 60000 * (uint64_t)MS;
	start_session(m, &session);
	domains_records(m);
}

/*
 * One busy vCPU for 5 s, of which at first each period is sampled, in work; then each twentieth, in leaf: half of the
 * time each.
 */
void make_throttled(struct maker *m)
{
	struct upf_session session = plain_session;
	uint64_t period = 10 * MS;

	session.ndomains = 1;
	session.rate_mhz = 100000;
	start_session(m, &session);
	for (unsigned k = 0; k < 500; k++) {
		struct upf_sample s = sample(0, UPF_RUNNING, k < 250 ? in_work : in_leaf);

		m->now = k * period;
		if (k == 250)
			check(upf_encode_event(m->encoder, 0, m->now, UPF_EVENT_RATE, 5000), "event");
		if (k < 250 || k % 20 == 9)
			round_of(m, 0, 40000, &s, 1);
		if (k % 100 == 0)
			flush(m);
	}
	m->now = 500 * period;
	finish(m);
}

/* The footer says one sample more than there is. */
void make_lying(struct maker *m)
{
	start(m, 1);
	small_records(m);
	m->totals.samples++;
	finish(m);
}

/*
 * A Linux guest; tests/cli/kallsyms names its kernel and a module. User mode: a program without names, whose frame
 * pointers led once into the kernel's half; then one that tests/cli/report.syms names, and an empty stack, of which
 * nothing is known.
 */
void make_linux(struct maker *m)
{
	static const uint64_t in_kernel[] = {0xffffffff81002010, 0xffffffff81001020, 0},
			      in_module[] = {0xffffffffc0201008, 0xffffffff81002040, 0xffffffff81001020, 0},
			      program[] = {0x4eda6a, 0x29715b20, 0}, strayed[] = {0x4eda70, 0xffffffff81001020, 0},
			      named[] = {0x1210, 0x99999, 0x1010, 0};
	static const struct {
		const uint64_t *frames;
		bool user;
		enum upf_end end;
		unsigned times;
	} kinds[] = {
		{in_kernel, false, UPF_END_ROOT, 4},  {in_module, false, UPF_END_MISALIGNED, 3},
		{program, true, UPF_END_UNMAPPED, 5}, {strayed, true, UPF_END_DESCENDING, 2},
		{named, true, UPF_END_ROOT, 1},       {none, true, UPF_END_NONE, 1},
	};

	start(m, 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct upf_sample s = sample(0, UPF_RUNNING, kinds[i].frames);

		s.user = kinds[i].user;
		s.end = (uint8_t)kinds[i].end;
		for (unsigned n = 0; n < kinds[i].times; n++)
			round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}
/* An archive whose names, code and stacks break the format in sound blocks. */
void make_badnames(struct maker *m)
{
	struct upf_session session = plain_session;

	session.ndomains = 1;
	session.archived = true;
	start_session(m, &session);
	check(upf_writer_data(m->writer, UPF_BLOCK_NAMES, "\0\5ab", 4), "names");
	check(upf_writer_data(m->writer, UPF_BLOCK_CODE, "\76", 1), "code");
	check(upf_writer_data(m->writer, UPF_BLOCK_STACKS, "\1", 1), "stacks");
	two_vcpus(m, 40, in_work, 3);
	finish(m);
}

/* A block of samples that breaks the format, with a sound checksum. */
void make_badsamples(struct maker *m)
{
	start(m, 1);
	check(upf_writer_data(m->writer, UPF_BLOCK_SAMPLES, "\377\377\377", 3), "samples");
	small_records(m);
	finish(m);
}
