/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * addresses.c - what uniprof-report calls the addresses on standard input, hexadecimal, a line each, in the form of
 * addr2line -Cif: innermost first, a line for the function and one for file:line; before each address a line of it
 * behind "@". Usage: addresses FILE [SYMFS].
 */
#include "report/elf/debug_file.h"
#include "report/symbols/symbolizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const struct symbolizer *n, const struct name_at *at)
{
	const struct function *function = &n->functions[at->function];

	puts(function->named ? function->name : "??");
	if (at->line)
		printf("%s:%" PRIu32 "\n", at->file ? at->file : "??", at->line);
	else
		printf("%s:?\n", at->file ? at->file : "??");
}

static int look_up(struct symbolizer *names, uint64_t address)
{
	struct frame_name name;
	int rc = symbolizer_find(names, 0, address, false, &name);

	if (rc != 0)
		return rc;
	for (uint32_t i = name.ninlined; i-- > 0;)
		print(names, &symbolizer_inlined(names, &name)[i]);
	print(names, &name.at);
	return 0;
}

int main(int argc, char **argv)
{
	const struct debug_search where = {.symfs = argc > 2 ? argv[2] : NULL};
	struct lines *lines = argc > 1 ? lines_new(argv[1], 0, &where) : NULL;
	struct symbols symbols = {0};
	struct symbolizer names;
	char line[64], why[256] = "Usage: addresses FILE [SYMFS]";
	int rc = 0;

	if (!lines || symbols_add_file(&symbols, argv[1], &where, why, sizeof(why)) < 0 ||
	    symbols_sort(&symbols) != 0) {
		fprintf(stderr, "addresses: %s\n", why);
		return 1;
	}
	symbolizer_init(&names, &(struct resolver){.symbols = &symbols, .lines = &lines, .nlines = 1});
	while (rc == 0 && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		printf("@%s\n", line);
		rc = look_up(&names, strtoull(line, NULL, 16));
	}
	symbolizer_free(&names);
	lines_free(lines);
	symbols_free(&symbols);
	return rc != 0;
}
