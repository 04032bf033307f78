/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_symbols.c - any bytes as nm's text or kallsyms: what was read is sorted, does not overlap, and is found again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/symbols/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool fine)
{
	if (!fine)
		abort();
}

static void look(const struct symbols *symbols, size_t len)
{
	must(symbols->names.len <= len + symbols->nadded);
	for (size_t i = 0; i < symbols->nranges; i++) {
		const struct symbol_range *range = &symbols->ranges[i];
		uint64_t offset;

		must(range->start < range->end && (i == 0 || range[-1].end <= range->start));
		must(symbols_range(symbols, range->start) == range && symbols_range(symbols, range->end - 1) == range);
		must(symbols_find(symbols, range->start, &offset) == symbols_name(symbols, range));
		must(memchr(symbols_name(symbols, range), '\0', len + 1) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct symbols symbols = {0};
	int fd = memfd_create("symbols", 0);
	char why[256] = "";

	must(fd >= 0 && write(fd, data, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
	must(symbols_add_text(&symbols, fd, why, sizeof(why)) == 0 || *why);
	if (symbols_sort(&symbols) == 0)
		look(&symbols, len);
	symbols_free(&symbols);
	return 0;
}
