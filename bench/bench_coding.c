/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_coding.c - what the trace's own coding of columns is worth: bench_coding NAME TRACE [NAME TRACE]...
 *
 * Bytes a sample of the samples blocks, each compressed by itself, in two codings:
 *
 *	own      columns as they are in the trace: a tree of stacks, windows and copies as differences, bit codes
 *	plain    varints of each sample's own stack, window or copy in full: a stack root first, each frame less its
 *	         caller, each word less the one before
 *
 * by LZ4, as in traces, and by zstd at two levels if its library was there when this was built; and what each column
 * takes of the own coding.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lz4.h>
#if defined(__has_include) && __has_include(<zstd.h>)
#include <zstd.h>
#define HAVE_ZSTD 1
#else
#define HAVE_ZSTD 0
#endif

#include "common/array.h"
#include "format/samples/columns.h"
#include "format/samples/parameters.h"
#include "format/upf.h"

enum coding { OWN, PLAIN, CODINGS };
enum packing { NONE, LZ4, ZSTD_FAST, ZSTD_SLOW, PACKINGS };

struct figures {
	uint64_t samples, bytes[CODINGS][PACKINGS], column[COLUMNS];
};

static void must(bool fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "bench_coding: %s\n", what);
	exit(2);
}

static void put(struct buf *b, uint64_t v)
{
	must(buf_reserve(b, VARINT_MAX) == 0, "out of memory");
	b->len += put_varint(b->data + b->len, v);
}

static void put_difference(struct buf *b, uint64_t v)
{
	put(b, zigzag((int64_t)v));
}

/* The columns in one, each behind its length, as in a block's payload. */
static void join(struct buf *out, const struct buf *columns, size_t n)
{
	out->len = 0;
	for (size_t i = 0; i < n; i++)
		put(out, columns[i].len);
	for (size_t i = 0; i < n; i++)
		must(buf_add(out, columns[i].data, columns[i].len) == 0, "out of memory");
}

static size_t lz4_size(const struct buf *b)
{
	int room = LZ4_compressBound((int)b->len), n;
	char *to = malloc((size_t)room);

	must(to != NULL, "out of memory");
	n = LZ4_compress_default((const char *)b->data, to, (int)b->len, room);
	must(n > 0, "LZ4 failed");
	free(to);
	return (size_t)n < b->len ? (size_t)n : b->len;
}

/* --- the columns ------------------------------------------------------------------------------------------------- */

static const char *const column_names[COLUMNS] = {
	[COLUMN_KIND] = "KIND",
	[COLUMN_DOMAIN] = "DOMAIN",
	[COLUMN_TIME] = "TIME",
	[COLUMN_PAUSE] = "PAUSE",
	[COLUMN_VCPU] = "VCPU",
	[COLUMN_STATE] = "STATE",
	[COLUMN_CPU] = "CPU",
	[COLUMN_STACK] = "STACK",
	[COLUMN_PARENT] = "PARENT",
	[COLUMN_FRAME] = "FRAME",
	[COLUMN_PUSH] = "PUSH",
	[COLUMN_REST] = "REST",
	[COLUMN_TOP] = "TOP",
	[COLUMN_SP] = "SP",
	[COLUMN_FP] = "FP",
	[COLUMN_SIZE] = "SIZE",
	[COLUMN_SKIP] = "SKIP",
	[COLUMN_WORD] = "WORD",
	[COLUMN_COPY] = "COPY",
	[COLUMN_REG] = "REG",
	[COLUMN_COPY_SKIP] = "COPY_SKIP",
	[COLUMN_COPY_WORD] = "COPY_WORD",
	[COLUMN_STEP] = "STEP",
	[COLUMN_LATE] = "LATE",
	[COLUMN_LEAF] = "LEAF",
	[COLUMN_RUN] = "RUN",
	[COLUMN_BRANCH] = "BRANCH",
};

/* What each column takes: bit codes as they are, others as LZ4 would make them by themselves. */
static void add_columns(uint64_t *bytes, const struct upf_block *b)
{
	struct cursor c = cursor_of(b->payload, b->raw_size);
	struct parameters p;
	uint64_t id[COLUMNS_MAX], form[COLUMNS_MAX], len[COLUMNS_MAX], n;

	must(parameters_get(&p, &c, 0, b->v1), "a damaged trace");
	n = get_varint(&c);
	must(n <= COLUMNS_MAX, "a damaged trace");
	for (uint64_t i = 0; i < n; i++) {
		id[i] = get_varint(&c);
		form[i] = get_varint(&c);
		len[i] = get_varint(&c);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct buf column = {.data = (uint8_t *)(uintptr_t)get_bytes(&c, len[i]), .len = len[i]};

		must(column.data && id[i] < COLUMNS, "a damaged trace, or one of a later version");
		bytes[id[i]] += form[i] == FORM_BYTES ? lz4_size(&column) : len[i];
	}
}

/* --- plain ------------------------------------------------------------------------------------------------------- */

enum plain {
	P_KIND,
	P_DOMAIN,
	P_TIME,
	P_PAUSE,
	P_VCPU,
	P_STATE,
	P_CPU,
	P_DEPTH,
	P_FRAME,
	P_SP,
	P_FP,
	P_SIZE,
	P_WORD,
	P_REG,
	P_COUNT,
	P_CODE,
	PLAINS
};

static void plain_words(struct buf *columns, const struct upf_record *r)
{
	uint64_t before = 0;

	if (r->tops == UPF_TOPS_WINDOW) {
		put(&columns[P_SP], r->sp);
		put_difference(&columns[P_FP], r->fp - r->sp);
	}
	for (int i = 0; r->tops == UPF_TOPS_COPY && i < (int)UPF_REGS; i++)
		put(&columns[P_REG], r->regs[i]);
	if (r->tops != UPF_TOPS_NONE)
		put(&columns[P_SIZE], r->nwords);
	for (uint32_t i = 0; i < r->nwords; i++) {
		put_difference(&columns[P_WORD], r->words[i] - before);
		before = r->words[i];
	}
}

static void plain_sample(struct buf *columns, const struct upf_decoder *d, const struct upf_record *r)
{
	uint32_t n, path[UPF_DEPTH_MAX], depth = 0;
	const struct upf_node *nodes = upf_decoder_nodes(d, &n);

	put(&columns[P_VCPU], r->vcpu);
	put(&columns[P_STATE], r->state | (unsigned)r->user << 2 | (unsigned)r->end << STATE_END_SHIFT);
	put(&columns[P_CPU], r->cpu_ns / UPF_TICK_NS);
	for (uint32_t node = r->stack; node != 0; node = nodes[node].parent)
		path[depth++] = node;
	put(&columns[P_DEPTH], depth);
	while (depth-- > 0)
		put_difference(&columns[P_FRAME],
		               nodes[path[depth]].address - nodes[nodes[path[depth]].parent].address);
	plain_words(columns, r);
}

static void plain_record(struct buf *columns, const struct upf_decoder *d, const struct upf_record *r,
                         uint64_t *last_ns)
{
	put(&columns[P_KIND], r->kind);
	if (r->kind == UPF_SAMPLE) {
		plain_sample(columns, d, r);
		return;
	}
	put(&columns[P_DOMAIN], r->domain);
	put_difference(&columns[P_TIME], (r->time_ns - *last_ns) / UPF_TICK_NS);
	*last_ns = r->time_ns;
	if (r->kind == UPF_ROUND)
		put(&columns[P_PAUSE], r->pause_ns / UPF_TICK_NS);
	if (r->kind == UPF_LOST || r->kind == UPF_LATE || r->kind == UPF_EVENT) {
		put(&columns[P_COUNT], r->count);
		put(&columns[P_CODE], r->code);
	}
}

static void plain(struct buf *out, struct upf_decoder *d, const struct upf_block *b, uint64_t *samples)
{
	struct buf columns[PLAINS] = {0};
	struct upf_record r;
	uint64_t last_ns = b->first_ns;

	must(upf_decoder_start(d, b) == UPF_OK, "a damaged trace");
	while (upf_decoder_next(d, &r) > 0) {
		*samples += r.kind == UPF_SAMPLE;
		if (!r.repeated)
			plain_record(columns, d, &r, &last_ns);
	}
	join(out, columns, PLAINS);
	for (int c = 0; c < PLAINS; c++)
		buf_free(&columns[c]);
}

/* --- compressed -------------------------------------------------------------------------------------------------- */

static size_t zstd_size(const struct buf *b, int level)
{
#if HAVE_ZSTD
	size_t room = ZSTD_compressBound(b->len), n;
	void *to = malloc(room);

	must(to != NULL, "out of memory");
	n = ZSTD_compress(to, room, b->data, b->len, level);
	must(!ZSTD_isError(n), "zstd failed");
	free(to);
	return n < b->len ? n : b->len;
#else
	(void)level;
	return b->len;
#endif
}

static void add(uint64_t *bytes, const struct buf *b)
{
	bytes[NONE] += b->len;
	bytes[LZ4] += lz4_size(b);
	bytes[ZSTD_FAST] += zstd_size(b, 3);
	bytes[ZSTD_SLOW] += zstd_size(b, 9);
}

static struct figures measure(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct figures f = {0};
	enum upf_fault fault;
	struct upf_reader *r = fd >= 0 ? upf_reader_open(fd, &fault, NULL) : NULL;
	struct upf_decoder *d = upf_decoder_new();
	struct buf made = {0};
	struct upf_block b;

	must(r && d, "the trace cannot be opened");
	while (upf_reader_next(r, &b) > 0) {
		if (b.fault != UPF_OK || b.type != UPF_BLOCK_SAMPLES)
			continue;
		made.len = 0;
		must(buf_add(&made, b.payload, b.raw_size) == 0, "out of memory");
		add(f.bytes[OWN], &made);
		add_columns(f.column, &b);
		plain(&made, d, &b, &f.samples);
		add(f.bytes[PLAIN], &made);
	}
	must(f.samples > 0, "no samples in the trace");
	buf_free(&made);
	upf_decoder_free(d);
	upf_reader_close(r);
	close(fd);
	return f;
}

int main(int argc, char **argv)
{
	static const char *const names[CODINGS] = {"own coding", "plain columns"};

	must(argc > 2 && argc % 2 == 1, "bench_coding NAME TRACE [NAME TRACE]...");
	printf("%-38s %10s %10s%s\n", "bytes/sample", "as it is", "LZ4",
	       HAVE_ZSTD ? "     zstd 3     zstd 9" : "     (zstd left out: libzstd-dev is not installed)");
	for (int i = 1; i < argc; i += 2) {
		struct figures f = measure(argv[i + 1]);

		printf("%s, %llu samples:\n", argv[i], (unsigned long long)f.samples);
		for (int c = 0; c < CODINGS; c++) {
			printf("  %-36s", names[c]);
			for (int p = 0; p < (HAVE_ZSTD ? PACKINGS : ZSTD_FAST); p++)
				printf(" %10.2f", (double)f.bytes[c][p] / (double)f.samples);
			putchar('\n');
		}
		for (int c = 0; c < COLUMNS; c++)
			if (f.column[c] > f.samples / 100)
				printf("    %-34s %21.2f\n", column_names[c] ? column_names[c] : "?",
				       (double)f.column[c] / (double)f.samples);
	}
	return 0;
}
