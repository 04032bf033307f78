/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_names.c - how fast a large image gives names: bench_names IMAGE [COUNT]. Loads its symbols, then asks for
 * addresses spread over all its functions: names demangled, inlined functions and lines by DWARF. With COUNT it prints
 * so many of those addresses instead, for another program.
 */
#include "report/symbols/symbolizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define ADDRESSES 200000
#define LOAD_AIM 1.0     /* seconds */
#define RATE_AIM 20000.0 /* addresses a second */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int load(struct symbols *symbols, const char *path)
{
	char why[256];

	if (symbols_add_file(symbols, path, NULL, why, sizeof(why)) == 0 && symbols_sort(symbols) == 0)
		return 0;
	fprintf(stderr, "bench_names: %s: %s\n", path, why);
	return -1;
}

/* The @i-th of @n addresses: functions by turns, so that no order of the file's helps. */
static uint64_t address(const struct symbols *s, uint64_t i)
{
	const struct symbol_range *range = &s->ranges[i * 7919 % s->nranges];

	return range->start + i * 31 % (range->end - range->start);
}

static int resolve_all(struct symbolizer *names, const struct symbols *symbols, size_t *inlined)
{
	struct frame_name name;

	for (uint64_t i = 0; i < ADDRESSES; i++) {
		if (symbolizer_find(names, 0, address(symbols, i), false, &name) != 0)
			return -1;
		*inlined += name.ninlined > 0;
	}
	return 0;
}

static bool report(const char *what, double figure, const char *unit, bool met, const char *aim)
{
	printf("%-52s %10.3f %-12s %s %s\n", what, figure, unit, aim, met ? "" : "MISSED");
	return met;
}

static bool measure(const char *path, struct symbols *symbols, double loaded)
{
	struct lines *lines = lines_new(path, 0, NULL);
	struct resolver resolver = {.symbols = symbols, .lines = &lines, .nlines = 1};
	struct symbolizer names;
	struct rusage usage;
	struct stat st = {0};
	size_t inlined = 0;
	double start;
	bool met;

	stat(path, &st);
	symbolizer_init(&names, &resolver);
	printf("%.1f MB, %zu functions\n", (double)st.st_size / 1e6, symbols->nranges);
	met = report("symbols loaded", loaded, "s", loaded < LOAD_AIM, "(aim: below 1)");
	start = now();
	if (!lines || resolve_all(&names, symbols, &inlined) != 0)
		return false;
	start = (double)names.naddresses / (now() - start);
	met &= report("unique addresses resolved, names, lines, inlined", start, "a second", start > RATE_AIM,
	              "(aim: above 20000)");
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu unique addresses, %zu lookups with inlined functions, %.1f MB of memory\n", names.naddresses,
	       inlined, (double)usage.ru_maxrss / 1e3);
	symbolizer_free(&names);
	lines_free(lines);
	return met;
}

int main(int argc, char **argv)
{
	struct symbols symbols = {0};
	double start = now();
	bool met = true;

	if (argc < 2 || load(&symbols, argv[1]) != 0)
		return 2;
	start = now() - start;
	if (argc > 2)
		for (uint64_t i = 0; i < strtoull(argv[2], NULL, 0); i++)
			printf("%" PRIx64 "\n", address(&symbols, i));
	else
		met = measure(argv[1], &symbols, start);
	symbols_free(&symbols);
	return met ? 0 : 1;
}
