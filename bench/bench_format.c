/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_format.c - what a sample costs in a trace: bytes beside uniprof's text, time to encode and to decode.
 *
 * The guest made up here has one busy vCPU, 30 hot functions called on stacks 15 to 25 deep that share their root
 * sides, and 10 addresses in each function, all equally likely. Rounds are due as the recorder's are, one at a random
 * moment of each period of 1 ms, and are 5 us late, and a random time more that is 10 us on average (exponential).
 * Pauses take 20 to 40 us, and CPU time is what passed less the pause, give or take 2 us. At the top of each stack are
 * up to 12 words below the frame pointer, two of which may be return addresses: the path's, and one that is left over
 * from an earlier call; measured with one such call on each path, and with three by turns, where windows change with
 * two of three samples. Exit status 1: an aim was missed. bench_format frames|windows|changing writes such a trace to
 * standard output instead.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "format/write/packer.h"
#include "format/upf.h"

#define FUNCTIONS 30
#define LEAVES 10
#define DEPTH_MAX 25
#define SAMPLES 200000
#define BLOCK 1000 /* samples: a second */
#define PERIOD_NS 1000000

#define AIM_BYTES 4.0     /* DESIGN: a sample, whole file, depth 20, 1 kHz */
#define AIM_TEXT 30.0     /* times under uniprof's text */
#define AIM_ENCODE_NS 300 /* a sample */
#define AIM_DECODE 10e6   /* samples a second, one core */

#define WINDOW 12
#define STACK 0xffff880000100000

struct path {
	uint64_t frames[DEPTH_MAX]; /* leaf first; frames[0] is the function's address */
	uint32_t depth;
	uint32_t nwords;
	uint64_t stale[3];
};

struct guest {
	struct path path[FUNCTIONS];
	uint64_t leaf[FUNCTIONS][LEAVES];
	uint64_t seed, now_ns, last_ns, last_pause_ns, round, cpu_ns;
	unsigned stale; /* left-over words by turns */
};

struct sink {
	uint8_t *data;
	size_t len, cap;
};

struct figures {
	double text, raw, file, encode_ns, write_ns, decode_ns;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(bool fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "bench_format: %s failed\n", what);
	exit(2);
}

/* splitmix64: the same guest on every machine. */
static uint64_t pseudo(struct guest *g)
{
	uint64_t z = g->seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t text_address(struct guest *g)
{
	return 0xffffffff81000000 + pseudo(g) % (8u << 20);
}

/* A path of its own from where it leaves an earlier one. */
static void make_path(struct guest *g, int i)
{
	struct path *p = &g->path[i];
	const struct path *from = i ? &g->path[pseudo(g) % (unsigned)i] : NULL;
	uint32_t shared;

	p->depth = 15 + pseudo(g) % 11;
	shared = from ? 3 + pseudo(g) % (from->depth - 4) : 0;
	if (shared > p->depth - 1)
		shared = p->depth - 1;
	for (uint32_t k = 0; k < p->depth; k++)
		p->frames[p->depth - 1 - k] = k < shared ? from->frames[from->depth - 1 - k] : text_address(g);
	p->nwords = 2 + pseudo(g) % (WINDOW - 2);
	for (int k = 0; k < 3; k++)
		p->stale[k] = text_address(g);
	for (int k = 0; k < LEAVES; k++)
		g->leaf[i][k] = p->frames[0] + pseudo(g) % 400;
}

static void next_window(struct guest *g, struct upf_sample *s, const struct path *p, uint64_t *words)
{
	memset(words, 0, WINDOW * sizeof(*words));
	words[0] = p->stale[pseudo(g) % g->stale];
	words[p->nwords - 1] = p->frames[0];
	s->words = words;
	s->nwords = p->nwords;
	s->sp = STACK - p->depth * 96;
	s->fp = s->sp + p->nwords * UPF_WORD;
}

static const struct upf_schedule schedule = {.rate_mhz = 1000000, .seed = 7};

static uint64_t latency_ns(struct guest *g)
{
	uint64_t ns = 5000;

	while (pseudo(g) % 100 != 0)
		ns += 100;
	return ns;
}

static void next_sample(struct guest *g, struct upf_sample *s, uint64_t *frames, uint64_t *words, uint64_t *pause_ns)
{
	unsigned f = pseudo(g) % FUNCTIONS;
	uint64_t before = g->cpu_ns / 1000;

	g->last_ns = g->now_ns;
	g->now_ns = upf_deadline(&schedule, g->round++) + latency_ns(g);
	if (g->now_ns < g->last_ns + g->last_pause_ns)
		g->now_ns = g->last_ns + g->last_pause_ns;
	g->cpu_ns += g->now_ns - g->last_ns - g->last_pause_ns + pseudo(g) % 4000;
	g->cpu_ns -= 2000;
	g->last_pause_ns = *pause_ns = 20000 + pseudo(g) % 20000;
	memcpy(frames, g->path[f].frames, sizeof(g->path[f].frames));
	frames[0] = g->leaf[f][pseudo(g) % LEAVES];
	*s = (struct upf_sample){.cpu_ns = g->cpu_ns / 1000 > before ? (g->cpu_ns / 1000 - before) * 1000 : 0,
	                         .frames = frames,
	                         .depth = g->path[f].depth};
	next_window(g, s, &g->path[f], words);
}

static int collect(void *ctx, const void *data, size_t len)
{
	struct sink *k = ctx;

	while (k->len + len > k->cap) {
		k->cap = k->cap ? 2 * k->cap : 1 << 20;
		k->data = realloc(k->data, k->cap);
		must(k->data != NULL, "memory");
	}
	memcpy(k->data + k->len, data, len);
	k->len += len;
	return 0;
}

/* As uniprof 1.2 prints a stack: an address a line, then "1" and an empty line. */
static size_t text_bytes(const struct upf_sample *s)
{
	size_t n = strlen("1\n\n");
	char line[32];

	for (uint32_t i = 0; i < s->depth; i++)
		n += (size_t)snprintf(line, sizeof(line), "%#llx\n", (unsigned long long)s->frames[i]);
	return n;
}

/* One block; its samples are made first so that only encoding and writing are timed. */
static void write_block(struct guest *g, struct upf_encoder *e, struct upf_writer *w, uint8_t *raw, struct figures *f)
{
	static uint64_t frames[BLOCK][DEPTH_MAX], words[BLOCK][WINDOW], times[BLOCK], pauses[BLOCK];
	static struct upf_sample samples[BLOCK];
	double start, encoded;

	for (int i = 0; i < BLOCK; i++) {
		next_sample(g, &samples[i], frames[i], words[i], &pauses[i]);
		times[i] = g->now_ns;
		f->text += (double)text_bytes(&samples[i]);
	}
	upf_encoder_reset(e, PERIOD_NS);
	upf_encoder_schedule(e, &schedule);
	start = now_ns();
	for (int i = 0; i < BLOCK; i++)
		must(upf_encode_round(e, 0, times[i], pauses[i], &samples[i], 1) == 0, "encoding");
	encoded = now_ns();
	must(upf_writer_block(w, e) == 0, "writing");
	f->encode_ns += encoded - start;
	f->write_ns += now_ns() - encoded;
	f->raw += (double)encoder_payload(e, NULL, raw).raw_size;
}

static void write_trace(struct sink *out, struct figures *f, enum upf_tops tops, unsigned stale)
{
	static const struct upf_domain domain = {.id = 1, .vcpus = 1, .name = "bench"};
	static const struct upf_session session = {
		.rate_mhz = 1000000, .max_stack = 128, .domains = &domain, .ndomains = 1};
	const struct upf_totals totals = {.samples = SAMPLES};
	struct upf_writer *w = upf_writer_new(&session, collect, out);
	struct upf_encoder *e = upf_encoder_new(tops, 1, 0);
	uint8_t *raw = malloc(UPF_RAW_MAX);
	struct guest g = {.seed = 1, .stale = stale, .cpu_ns = 1000000};

	must(w && e && raw, "memory");
	for (int i = 0; i < FUNCTIONS; i++)
		make_path(&g, i);
	for (int i = 0; i < SAMPLES / BLOCK; i++)
		write_block(&g, e, w, raw, f);
	must(upf_writer_finish(w, &totals, UPF_REASON_DURATION) == 0, "writing");
	f->file = (double)out->len;
	free(raw);
	upf_encoder_free(e);
	upf_writer_free(w);
}

static uint64_t decode_block(struct upf_decoder *d, const struct upf_block *b)
{
	struct upf_record r;
	uint64_t n = 0;

	must(upf_decoder_start(d, b) == UPF_OK, "decoding");
	while (upf_decoder_next(d, &r) == 1)
		n += r.kind == UPF_SAMPLE;
	return n;
}

static void read_trace(const struct sink *in, struct figures *f)
{
	int fd = memfd_create("trace", 0);
	struct upf_decoder *d = upf_decoder_new();
	enum upf_fault fault;
	struct upf_reader *r;
	struct upf_block b;
	uint64_t n = 0;
	double start;

	must(d && fd >= 0 && write(fd, in->data, in->len) == (ssize_t)in->len && lseek(fd, 0, SEEK_SET) == 0, "memfd");
	start = now_ns();
	r = upf_reader_open(fd, &fault, NULL);
	must(r != NULL, "opening");
	while (upf_reader_next(r, &b) == 1)
		if (b.fault == UPF_OK && b.type == UPF_BLOCK_SAMPLES)
			n += decode_block(d, &b);
	f->decode_ns = now_ns() - start;
	must(n == SAMPLES, "reading everything");
	upf_reader_close(r);
	upf_decoder_free(d);
	close(fd);
}

static int tell(const char *what, const char *unit, double value, double aim, bool at_least)
{
	bool missed = at_least ? value < aim : value > aim;

	printf("%-42s %10.2f %-16s aim: %s %.0f%s\n", what, value, unit, at_least ? "over" : "under", aim,
	       missed ? "  MISSED" : "");
	return missed;
}

/* @stale is 0: no windows. */
static int measure(const char *what, unsigned stale)
{
	struct figures f = {0};
	struct sink out = {0};
	int missed = 0;

	write_trace(&out, &f, stale ? UPF_TOPS_WINDOW : UPF_TOPS_NONE, stale ? stale : 1);
	read_trace(&out, &f);
	printf("%s:\n", what);
	printf("%-42s %10.2f bytes/sample\n", "trace before LZ4", f.raw / SAMPLES);
	if (stale <= 1)
		missed |= tell("trace, whole file", "bytes/sample", f.file / SAMPLES, AIM_BYTES, false);
	else
		printf("%-42s %10.2f bytes/sample\n", "trace, whole file", f.file / SAMPLES);
	missed |= tell("trace beside uniprof's text of the stacks", "times smaller", f.text / f.file, AIM_TEXT, true);
	missed |= tell("encode (sampling thread)", "ns/sample", f.encode_ns / SAMPLES, AIM_ENCODE_NS, false);
	printf("%-42s %10.2f ns/sample\n", "compress and write (writer thread)", f.write_ns / SAMPLES);
	missed |= tell("read and decode", "M samples/s", SAMPLES / f.decode_ns * 1e3, AIM_DECODE / 1e6, true);
	free(out.data);
	return missed;
}

static int put_out(const char *kind)
{
	unsigned stale = strcmp(kind, "windows") == 0 ? 1 : strcmp(kind, "changing") == 0 ? 3 : 0;
	struct figures f = {0};
	struct sink out = {0};

	must(stale || strcmp(kind, "frames") == 0, "bench_format frames|windows|changing");
	write_trace(&out, &f, stale ? UPF_TOPS_WINDOW : UPF_TOPS_NONE, stale ? stale : 1);
	must(fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0, "writing");
	free(out.data);
	return 0;
}

int main(int argc, char **argv)
{
	int missed;

	if (argc == 2)
		return put_out(argv[1]);
	missed = measure("frames alone (--call-graph fp,0)", 0);

	missed |= measure("frames and a window each (--call-graph fp)", 1);
	return missed | measure("frames and windows that change all the time", 3);
}
