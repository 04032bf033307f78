/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mktrace.c - traces for tests and benchmarks, on standard output: mktrace KIND [ARGUMENTS].
 *
 * Everything in them is fixed, so that expected outputs can be compared byte for byte.
 */
#include "format/upf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000u
#define PERIOD (10 * MS)

static int put(void *ctx, const void *data, size_t len)
{
	(void)ctx;
	return fwrite(data, 1, len, stdout) == len ? 0 : -EIO;
}

static void check(int rc, const char *what)
{
	if (rc == 0)
		return;
	fprintf(stderr, "mktrace: %s: %s\n", what, strerror(-rc));
	exit(1);
}

/* --- a trace being made ------------------------------------------------------------------------------------------ */

struct maker {
	struct upf_writer *writer;
	struct upf_encoder *encoder;
	struct upf_totals totals;
	uint64_t now;
};

static const struct upf_domain plain_domains[] = {
	{.id = 3,
         .uuid = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8},
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "web1",
         .image = "/boot/web.elf",
         .build_id = "c0ffee"},
	{.id = 7, .kind = UPF_KIND_PVH, .arch = UPF_ARCH_X86_64, .vcpus = 1, .name = "db\033[31m"},
};

/* Of what program is not told. */
static const struct upf_domain bare_domains[] = {
	{.id = 3, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "web1"},
	{.id = 7, .kind = UPF_KIND_PV, .arch = UPF_ARCH_X86_64, .vcpus = 2, .name = "db"},
};

/* Whose names want to be markup, fields, lines and commands to a terminal. */
static const struct upf_domain hostile_domains[] = {
	{.id = 3,
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "<script>alert(1)</script>",
         .image = "/tmp/my guest (old);\"x\",\n1 2 3\nfn=(9) y.elf",
         .build_id = "\"]}<!--\377"},
	{.id = 7,
         .kind = UPF_KIND_PV,
         .arch = UPF_ARCH_X86_64,
         .vcpus = 2,
         .name = "a;b \377\n7/7 [000] 1.0: 1 x:\n\"c\" (d)"},
};

static const struct upf_session plain_session = {
	.trace_id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	.start_real_ns = 1700000000123456000,
	.start_mono_ns = 5000000000,
	.rate_mhz = 99500,
	.max_stack = 128,
	.command = "uniprof-record -F 99.5 -o run.upf web1",
	.recorder = "uniprof-record 2.0",
	.host = "dom0",
	.hypervisor = "Xen 4.17.7, domctl 0x15",
	.domains = plain_domains,
};

static void start_session(struct maker *m, const struct upf_session *session)
{
	memset(m, 0, sizeof(*m));
	m->writer = upf_writer_new(session, put, NULL);
	m->encoder = upf_encoder_new(session->tops, (uint32_t)session->ndomains, session->tops_size / 8);
	if (!m->writer || !m->encoder)
		check(-errno, "start");
	upf_encoder_reset(m->encoder, PERIOD);
}

static void start(struct maker *m, size_t ndomains)
{
	struct upf_session session = plain_session;

	session.ndomains = ndomains;
	start_session(m, &session);
}

static void flush(struct maker *m)
{
	check(upf_writer_block(m->writer, m->encoder), "block");
	upf_encoder_reset(m->encoder, PERIOD);
}

static void round_of(struct maker *m, uint32_t domain, uint64_t pause_ns, const struct upf_sample *samples, size_t n)
{
	int rc = upf_encode_round(m->encoder, domain, m->now, pause_ns, samples, n);

	if (rc == -ENOSPC) {
		flush(m);
		rc = upf_encode_round(m->encoder, domain, m->now, pause_ns, samples, n);
	}
	check(rc, "round");
	m->totals.rounds++;
	m->totals.samples += n;
	if (pause_ns) {
		m->totals.pauses++;
		upf_hist_add(&m->totals.pause, pause_ns);
	}
	m->now += PERIOD;
}

static void same(struct maker *m, uint32_t domain, size_t n)
{
	check(upf_encode_same(m->encoder, domain, m->now), "same");
	m->totals.rounds++;
	m->totals.samples += n;
	m->now += PERIOD;
}

static void finish(struct maker *m)
{
	flush(m);
	m->totals.duration_ns = m->now;
	check(upf_writer_finish(m->writer, &m->totals, UPF_REASON_DURATION), "finish");
}

static void end(struct maker *m)
{
	upf_writer_free(m->writer);
	upf_encoder_free(m->encoder);
	if (fflush(stdout) != 0)
		check(-errno, "standard output");
}

/* A running vCPU's stack, leaf first, 0 behind its root. */
static struct upf_sample sample(uint32_t vcpu, uint8_t state, const uint64_t *frames)
{
	struct upf_sample s = {.vcpu = vcpu, .state = state, .frames = frames};

	s.cpu_ns = state == UPF_RUNNING ? PERIOD : 0;
	while (frames[s.depth])
		s.depth++;
	return s;
}

/* --- the kinds --------------------------------------------------------------------------------------------------- */

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

static void make_small(struct maker *m)
{
	start(m, 1);
	small_records(m);
	finish(m);
}

static void make_killed(struct maker *m)
{
	start(m, 1);
	small_records(m);
	flush(m);
}

static void make_idle(struct maker *m)
{
	const struct upf_sample samples[] = {sample(0, UPF_BLOCKED, idling), sample(1, UPF_OFFLINE, none)};

	start(m, 1);
	round_of(m, 0, 30000, samples, 2);
	for (int i = 0; i < 9; i++)
		same(m, 0, 2);
	finish(m);
}

/*
 * Three address spaces, of which one is not known. The same addresses are the kernel's and two programs' functions: each
 * is told apart.
 */
static void make_spaces(struct maker *m)
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

/* All registers, and general ones, of a vCPU in user mode; then nothing runs. One register is of a later version. */
static void make_registers(struct maker *m)
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
	registers_add(&set, REGISTER_RIP, 0x1210);
	registers_add(&set, REGISTER_RFLAGS, 0x3246);
	registers_add(&set, REGISTER_CS, 0x33);
	registers_add(&set, REGISTER_ES_ATTRIBUTES + SEGMENT_CS, 0xafb);
	registers_add(&set, REGISTER_CR0 + 3, 0x1234000);
	registers_add(&set, REGISTER_LSTAR, 0x1300);
	registers_add(&set, 5000, UINT64_MAX);
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

static void make_empty(struct maker *m)
{
	start(m, 1);
	finish(m);
}

static void make_domains(struct maker *m)
{
	start(m, 2);
	two_vcpus(m, 40, in_work, 3);
	for (int i = 0; i < 2; i++) {
		struct upf_sample s = sample(0, UPF_RUNNING, in_leaf);

		round_of(m, 1, 20000, &s, 1);
	}
	finish(m);
}

/* The footer says one sample more than there is. */
static void make_lying(struct maker *m)
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
static void make_linux(struct maker *m)
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

/*
 * A web server's minute on two vCPUs: requests in waves, a burst of garbage collection every seven seconds, and TLS
 * handshakes from 30 to 40 s. tests/web/web.syms names function n, at 0x100000 + n * 0x100. @after: once http_parse
 * (7) was made twice as fast, and tls_handshake (14) twice as slow.
 */
#define WEB_DEPTH 12
static const struct web_stack {
	uint8_t functions[WEB_DEPTH];        /* root first, 0 behind the leaf */
	uint8_t always, collecting, shaking; /* weights of the three phases */
} web_stacks[] = {
	{{1, 2, 3, 4, 5, 6}, 6, 0, 2},
	{{1, 2, 3, 4, 5, 6, 7}, 22, 1, 6},
	{{1, 2, 3, 4, 5, 6, 7, 8}, 11, 0, 3},
	{{1, 2, 3, 4, 5, 9, 10}, 9, 1, 4},
	{{1, 2, 3, 4, 5, 9, 10, 11}, 14, 1, 5},
	{{1, 2, 3, 4, 5, 9, 10, 11, 12, 13}, 8, 1, 3},
	{{1, 2, 3, 4, 14, 15, 16}, 2, 0, 40},
	{{1, 2, 3, 4, 14, 15, 17}, 1, 0, 22},
	{{1, 2, 3, 4, 14, 18}, 1, 0, 9},
	{{1, 2, 3, 19, 20, 21}, 10, 1, 5},
	{{1, 2, 3, 19, 20, 21, 22}, 7, 0, 4},
	{{1, 2, 3, 19, 20, 23, 24, 25, 26}, 12, 1, 7},
	{{1, 2, 3, 19, 20, 23, 24, 27}, 5, 0, 2},
	{{1, 2, 3, 28, 29, 30}, 2, 52, 2},
	{{1, 2, 3, 28, 29, 31}, 1, 31, 1},
	{{1, 2, 3, 28, 32}, 1, 14, 1},
	{{1, 33, 34, 35}, 4, 1, 2},
	{{1, 33, 34, 36, 37}, 3, 1, 2},
	{{1, 38}, 2, 1, 1},
};
#define WEB_STACKS (sizeof(web_stacks) / sizeof(web_stacks[0]))

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static bool is_collecting(uint64_t now, uint32_t vcpu)
{
	return vcpu == 0 && now % (7000u * (uint64_t)MS) < 350u * (uint64_t)MS;
}

static bool is_shaking(uint64_t now)
{
	return now >= 30000u * (uint64_t)MS && now < 40000u * (uint64_t)MS;
}

/* Percent of the time in which the vCPU runs: requests come in waves. */
static unsigned web_load(uint64_t now, uint32_t vcpu)
{
	unsigned wave = (unsigned)(now / (100u * MS) % 130), load = wave < 65 ? wave : 130 - wave;

	if (is_collecting(now, vcpu))
		return 100;
	return is_shaking(now) ? 85 : 8 + load * 3 / 5;
}

static unsigned web_weight(const struct web_stack *s, uint64_t now, uint32_t vcpu, bool after)
{
	unsigned weight = is_collecting(now, vcpu) ? s->collecting : is_shaking(now) ? s->shaking : s->always;
	unsigned half = 1, twice = 1;

	for (size_t i = 0; after && i < WEB_DEPTH; i++) {
		half = s->functions[i] == 7 ? 2 : half;
		twice = s->functions[i] == 14 ? 2 : twice;
	}
	return weight * 2 * twice / half;
}

static struct upf_sample web_sample(uint64_t now, uint32_t vcpu, bool after, uint64_t *random, uint64_t *frames)
{
	unsigned all = 0, at, depth = 0;
	size_t which = 0;
	struct upf_sample s = {.vcpu = vcpu, .state = UPF_RUNNING, .frames = frames, .cpu_ns = PERIOD};

	for (size_t i = 0; i < WEB_STACKS; i++)
		all += web_weight(&web_stacks[i], now, vcpu, after);
	at = (unsigned)(next_random(random) % all);
	while (at >= web_weight(&web_stacks[which], now, vcpu, after))
		at -= web_weight(&web_stacks[which++], now, vcpu, after);
	while (depth < WEB_DEPTH && web_stacks[which].functions[depth])
		depth++;
	for (unsigned i = 0; i < depth; i++)
		frames[depth - 1 - i] = 0x100010u + web_stacks[which].functions[i] * 0x100u;
	s.depth = depth;
	s.end = (uint8_t)(next_random(random) % 50 == 0 ? UPF_END_UNMAPPED : UPF_END_ROOT);
	if (next_random(random) % 100 >= web_load(now, vcpu))
		s.state = UPF_BLOCKED;
	return s;
}

static void make_web_of(struct maker *m, bool after)
{
	uint64_t random = 88172645463325252u, frames[2][WEB_DEPTH];

	start(m, 1);
	while (m->now < 60000u * (uint64_t)MS) {
		const struct upf_sample samples[] = {web_sample(m->now, 0, after, &random, frames[0]),
		                                     web_sample(m->now, 1, after, &random, frames[1])};

		round_of(m, 0, 30000 + next_random(&random) % 20000, samples, 2);
	}
	check(upf_encode_lost(m->encoder, 0, m->now, 3, UPF_LOST_PAUSED), "lost");
	m->totals.lost += 3;
	finish(m);
}

static void make_web(struct maker *m)
{
	make_web_of(m, false);
}

static void make_web_after(struct maker *m)
{
	make_web_of(m, true);
}

/* @count samples of @unique stacks of @depth frames, in no order. */
static void make_many(struct maker *m, uint64_t count, uint64_t unique, uint32_t depth)
{
	uint64_t frames[UPF_DEPTH_MAX], random = 88172645463325252u;

	start(m, 1);
	for (uint64_t n = 0; n < count; n++) {
		struct upf_sample s = {.state = UPF_RUNNING, .frames = frames, .depth = depth, .cpu_ns = MS};
		uint64_t which;

		which = next_random(&random) % unique;
		for (uint32_t i = 0; i < depth; i++) {
			/* The root is shared by all; ten stacks share all but the leaf, a hundred all but two, ... */
			uint64_t branch = i < 5 ? which / (uint64_t[]){1, 10, 100, 1000, 10000}[i] : 0;

			frames[i] = 0x100000 + (depth - i) * 0x10000 + branch % 4096 * 16;
		}
		round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}

/* @count samples, each at an address that no other has, below the same callers. */
static void make_scattered(struct maker *m, uint64_t count, uint32_t depth)
{
	uint64_t frames[UPF_DEPTH_MAX];

	start(m, 1);
	for (uint32_t i = 1; i < depth; i++)
		frames[i] = 0x100000 + i * 0x10000;
	for (uint64_t n = 0; n < count; n++) {
		struct upf_sample s = {.state = UPF_RUNNING, .frames = frames, .depth = depth, .cpu_ns = MS};
		uint64_t place = n * 0x9e3779b1 % (UINT64_C(1) << 36);

		place = (place ^ place >> 18) * 0x85ebca6b % (UINT64_C(1) << 36);
		frames[0] = 0x7f0000000000 + place; /* every step can be undone, so no two are alike */
		round_of(m, 0, 40000, &s, 1);
	}
	finish(m);
}

/* "lost COUNT". */
static void lose(struct maker *m, const char *line)
{
	uint64_t n = strtoull(line, NULL, 0);

	check(upf_encode_lost(m->encoder, 0, m->now, n, UPF_LOST_WRITER), "lost");
	m->totals.lost += n;
}

/* "late COUNT". */
static void miss(struct maker *m, const char *line)
{
	uint64_t n = strtoull(line, NULL, 0);

	check(upf_encode_late(m->encoder, 0, m->now, n), "late");
	m->totals.late += n;
}

/* "DOMAIN VCPU COUNT LEAF CALLER...": so many samples of a stack; "b" before it: of a blocked vCPU. */
static void add_line(struct maker *m, char *line)
{
	uint64_t frames[UPF_DEPTH_MAX + 1] = {0}, domain, vcpu, count;
	uint8_t state = *line == 'b' ? UPF_BLOCKED : UPF_RUNNING;
	struct upf_sample s;

	line += *line == 'b';
	domain = strtoull(line, &line, 0);
	vcpu = strtoull(line, &line, 0);
	count = strtoull(line, &line, 0);
	for (size_t n = 0; n < UPF_DEPTH_MAX && *line != '\n'; n++)
		frames[n] = strtoull(line, &line, 16);
	s = sample((uint32_t)vcpu, state, frames);
	while (count-- > 0)
		round_of(m, (uint32_t)domain, 40000, &s, 1);
}

/* Stacks and how often they came, as standard input has them, a line each. */
static void make_lines(struct maker *m, const struct upf_domain domains[2])
{
	struct upf_session session = plain_session;
	char line[4096];

	session.domains = domains;
	session.ndomains = 2;
	start_session(m, &session);
	while (fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "lost ", 5) == 0)
			lose(m, line + 5);
		else if (strncmp(line, "late ", 5) == 0)
			miss(m, line + 5);
		else
			add_line(m, line);
	}
	finish(m);
}

static void make_counted(struct maker *m)
{
	make_lines(m, bare_domains);
}

static void make_hostile(struct maker *m)
{
	make_lines(m, hostile_domains);
}

/* An archive whose names, code and stacks break the format in sound blocks. */
static void make_badnames(struct maker *m)
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

#define GUESTS_MAX 64

/* "guest NAME KIND ARCH [IMAGE IDENTITY]", instead of the one that there is else. */
static void add_guest(struct upf_domain *domains, size_t *n, char *line)
{
	char *name = strtok(line + 6, " \n"), *kind = strtok(NULL, " \n"), *arch = strtok(NULL, " \n");
	char *image = strtok(NULL, " \n"), *id = strtok(NULL, " \n");

	if (!arch || *n == GUESTS_MAX)
		check(-EINVAL, "guest");
	domains[*n] = (struct upf_domain){.id = 3 + (uint32_t)*n,
	                                  .vcpus = 1,
	                                  .kind = (uint8_t)atoi(kind),
	                                  .arch = (uint8_t)atoi(arch),
	                                  .name = strdup(name),
	                                  .image = image ? strdup(image) : NULL,
	                                  .build_id = id ? strdup(id) : NULL};
	++*n;
}

/* A sample: addresses, leaf first; of copies an address, the stack pointer, and what lies on the stack. */
static void add_sample(struct maker *m, bool copies, uint32_t domain, char *line)
{
	uint64_t words[UPF_COPY_MAX], regs[UPF_REGS] = {0};
	struct upf_sample s = {.state = UPF_RUNNING,
	                       .frames = words,
	                       .cpu_ns = PERIOD,
	                       .slot = domain,
	                       .end = copies ? UPF_END_DEPTH : UPF_END_ROOT};
	uint32_t n = 0;

	s.user = strncmp(line, "user ", 5) == 0;
	for (char *at = strtok(line + 5 * s.user, " \n"); at && n < UPF_DEPTH_MAX; at = strtok(NULL, " \n"))
		words[n++] = strtoull(at, NULL, 16);
	s.depth = copies ? 1 : n;
	if (copies && n >= 2) {
		regs[7] = s.sp = words[1];
		s.words = words + 2;
		s.nwords = n - 2;
		s.regs = regs;
	}
	round_of(m, domain, 40000, &s, 1);
}

/*
 * Stacks from standard input, a line each: addresses in hexadecimal, leaf first; with copies, the instruction pointer,
 * the stack pointer and the words there. The domain runs @image, whose identity is @id, unless they are NULL.
 * "of N": what follows is guest number N's; "entry ADDRESS": of its kernel's first exception; "user" before a stack:
 * it is one of user mode.
 */
static void make_stacks(struct maker *m, bool copies, const char *image, const char *id)
{
	struct upf_domain domains[GUESTS_MAX] = {plain_domains[0]};
	struct upf_session session = plain_session;
	uint32_t domain = 0;
	char *line = NULL;
	size_t size = 0, n = 0;
	ssize_t len;

	domains[0].image = image;
	domains[0].build_id = id;
	while ((len = getline(&line, &size, stdin)) >= 0 && strncmp(line, "guest ", 6) == 0)
		add_guest(domains, &n, line);
	session.domains = domains;
	session.ndomains = n ? n : 1;
	session.tops = copies ? UPF_TOPS_COPY : UPF_TOPS_NONE;
	session.tops_size = copies ? UPF_COPY_MAX * 8 : 0;
	start_session(m, &session);
	for (; len >= 0; len = getline(&line, &size, stdin)) {
		if (strncmp(line, "of ", 3) == 0)
			domain = (uint32_t)atoi(line + 3);
		else if (strncmp(line, "entry ", 6) == 0)
			check(upf_encode_entry(m->encoder, domain, m->now, 0, strtoull(line + 6, NULL, 16)), "entry");
		else if (strcmp(line, "block\n") == 0)
			flush(m);
		else
			add_sample(m, copies, domain, line);
	}
	free(line);
	for (size_t i = 0; i < n; i++) {
		free((char *)domains[i].name);
		free((char *)domains[i].image);
		free((char *)domains[i].build_id);
	}
	finish(m);
}

/*
 * A block full of SAME records of 4096 vCPUs: a few thousand bytes that stand for 250 million samples. @apart: each
 * in another second than the one before.
 */
static void make_repeats_of(struct maker *m, bool apart)
{
	static struct upf_sample samples[UPF_VCPUS_MAX];
	uint64_t begin;

	for (uint32_t i = 0; i < UPF_VCPUS_MAX; i++)
		samples[i] = sample(i, UPF_RUNNABLE, i % 2 ? in_leaf : in_work);
	start(m, 1);
	round_of(m, 0, 40000, samples, UPF_VCPUS_MAX);
	begin = m->now;
	for (unsigned n = 0; upf_encode_same(m->encoder, 0, m->now) == 0; n++) {
		m->totals.rounds++;
		m->totals.samples += UPF_VCPUS_MAX;
		m->now = apart ? begin + (n % 2 + 1) * 1000 * (uint64_t)MS : m->now + PERIOD;
	}
	finish(m);
}

static void make_repeats(struct maker *m)
{
	make_repeats_of(m, false);
}

static void make_repeats_apart(struct maker *m)
{
	make_repeats_of(m, true);
}

static const struct {
	const char *name;
	void (*make)(struct maker *m);
} kinds[] = {
	{"small", make_small},
	{"killed", make_killed},
	{"idle", make_idle},
	{"empty", make_empty},
	{"registers", make_registers},
	{"spaces", make_spaces},
	{"domains", make_domains},
	{"lying", make_lying},
	{"linux", make_linux},
	{"badnames", make_badnames},
	{"counted", make_counted},
	{"hostile", make_hostile},
	{"web", make_web},
	{"web-after", make_web_after},
	{"repeats", make_repeats},
	{"repeats-apart", make_repeats_apart},
};

int main(int argc, char **argv)
{
	struct maker m;

	if ((argc == 2 || argc == 4) && (strcmp(argv[1], "stacks") == 0 || strcmp(argv[1], "copies") == 0)) {
		make_stacks(&m, argv[1][0] == 'c', argc == 4 ? argv[2] : NULL, argc == 4 ? argv[3] : NULL);
		end(&m);
		return 0;
	}
	if ((argc == 5 && strcmp(argv[1], "many") == 0) || (argc == 4 && strcmp(argv[1], "scattered") == 0)) {
		unsigned long depth = strtoul(argv[argc - 1], NULL, 0);
		uint64_t count = strtoull(argv[2], NULL, 0), unique = strtoull(argv[3], NULL, 0);

		if (depth < 1 || depth > UPF_DEPTH_MAX || unique == 0)
			check(-EINVAL, argv[1]);
		if (argc == 5)
			make_many(&m, count, unique, (uint32_t)depth);
		else
			make_scattered(&m, count, (uint32_t)depth);
		end(&m);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].make(&m);
			end(&m);
			return 0;
		}
	}
	fputs("Usage: mktrace small|killed|idle|empty|domains|lying|linux|web|web-after|repeats|repeats-apart\n"
	      "       mktrace many COUNT UNIQUE DEPTH\n"
	      "       mktrace scattered COUNT DEPTH\n"
	      "       mktrace counted|hostile <LINES\n"
	      "       mktrace stacks|copies [IMAGE IDENTITY] <LINES\n",
	      stderr);
	return 2;
}
