/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_unwind.c - how fast stacks are made true: bench_unwind PROGRAM PREFIX, of tests/steps. The traces made by
 * stepping through the program, where every sample has another stack than the one before, are loaded again and again,
 * by the same rows, until a million samples were unwound.
 */
#include "report/profile/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES 1000000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void load(struct profile *p, const char *path, struct cfi *rows)
{
	struct program program = {.cfi = rows};
	const struct binaries binaries = {.programs = &program, .nprograms = 1};
	int fd = open(path, O_RDONLY);
	enum upf_fault fault;
	struct upf_reader *r = upf_reader_open(fd, &fault, NULL);

	if (!r || load_trace(p, r, &(struct load_options){.binaries = &binaries}) != 0) {
		fprintf(stderr, "bench_unwind: cannot read %s\n", path);
		exit(2);
	}
	upf_reader_close(r);
	close(fd);
}

/* Samples a second; those of one pass more than rows is what is left out. */
static double rate(const char *path, struct cfi *rows)
{
	struct profile p;
	double start;
	uint64_t before;

	if (profile_init(&p) != 0)
		exit(2);
	load(&p, path, rows);
	before = p.counters.samples;
	start = now();
	while (p.counters.samples < SAMPLES + before)
		load(&p, path, rows);
	start = now() - start;
	before = p.counters.samples - before;
	profile_free(&p);
	return (double)before / start;
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"fp", "dwarf"};
	struct symbols symbols = {0};
	struct cfi *rows;
	char path[4096], why[256];

	if (argc != 3)
		return 2;
	if (symbols_add_file(&symbols, argv[1], NULL, why, sizeof(why)) != 0 || symbols_sort(&symbols) != 0 ||
	    !(rows = cfi_new(&symbols)) || cfi_add_image(rows, argv[1], 0, why, sizeof(why)) != 0) {
		fprintf(stderr, "bench_unwind: %s: %s\n", argv[1], why);
		return 2;
	}
	for (int k = 0; k < 2; k++) {
		double recorded, unwound;

		snprintf(path, sizeof(path), "%s.%s.upf", argv[2], kinds[k]);
		recorded = rate(path, NULL);
		unwound = rate(path, rows);
		printf("%-6s %10.0f samples a second made true, %10.0f only read: %5.2f us more each\n", kinds[k],
		       unwound, recorded, 1e6 / unwound - 1e6 / recorded);
	}
	cfi_free(rows);
	symbols_free(&symbols);
	return 0;
}
