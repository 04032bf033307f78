/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_image.c - any bytes as an ELF file: loaded as symbols and as an image, every symbol's
 * beginning looked up and followed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/elf/elf_file.h"
#include "report/unwind/cfi.h"

#define LOOKS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look(struct cfi *rows, const struct isa *isa, const struct symbols *symbols)
{
	cfi_enter(rows, isa, true);
	for (size_t i = 0; i < symbols->nranges && i < LOOKS; i++) {
		const struct symbol_range *range = &symbols->ranges[i];
		uint64_t offset;

		if (range->start >= range->end || !symbols_find(symbols, range->start, &offset))
			abort();
		for (uint64_t at = range->start; at < range->end && at < range->start + 32; at++)
			cfi_find(rows, at, false);
		cfi_find(rows, range->end, true);
		cfi_called_from(rows, range->end, range->start);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct isa *const sets[] = {&isa_x86_64, &isa_i386, &isa_arm64, &isa_arm};
	struct symbols symbols = {0};
	struct cfi *rows;
	char path[64], why[256];
	int fd = memfd_create("image", 0);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (symbols_add_file(&symbols, path, NULL, why, sizeof(why)) != 0 && why[0] == '\0')
		abort();
	if (symbols_sort(&symbols) == 0 && (rows = cfi_new(&symbols))) {
		if (!elf_file_is(path) || cfi_add_image(rows, path, 0, why, sizeof(why)) == 0)
			for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
				look(rows, sets[i], &symbols);
		cfi_free(rows);
	}
	symbols_free(&symbols);
	close(fd);
	return 0;
}
