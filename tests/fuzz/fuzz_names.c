/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_names.c - any bytes as an ELF file, whose symbols, identity, debug file and DWARF are read for its functions'
 * names; what is no ELF file is a symbol to be demangled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/file/identity.h"
#include "report/symbols/demangle.h"
#include "report/symbols/symbolizer.h"

#define LOOKS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look(struct symbolizer *names, uint64_t address)
{
	struct frame_name name;

	if (symbolizer_find(names, 0, address, false, &name) != 0 ||
	    symbolizer_find(names, 0, address, true, &name) != 0)
		abort();
	if (name.function >= names->nfunctions || name.ninlined > LINES_DEPTH_MAX)
		abort();
	for (uint32_t i = 0; i < name.ninlined; i++)
		if (symbolizer_inlined(names, &name)[i].function >= names->nfunctions)
			abort();
}

static void name_all(const char *path)
{
	struct lines *lines = lines_new(path, 0, NULL);
	struct symbols symbols = {0};
	struct resolver resolver = {.symbols = &symbols, .lines = &lines, .nlines = 1};
	struct symbolizer names;
	char why[256];

	symbols_add_file(&symbols, path, NULL, why, sizeof(why));
	if (!lines || symbols_sort(&symbols) != 0)
		abort();
	symbolizer_init(&names, &resolver);
	for (size_t i = 0; i < symbols.nranges && i < LOOKS; i++) {
		look(&names, symbols.ranges[i].start);
		look(&names, symbols.ranges[i].end);
		look(&names, (symbols.ranges[i].start + symbols.ranges[i].end) / 2);
	}
	for (uint64_t at = 0x401000; at < 0x401000 + LOOKS; at++)
		look(&names, at);
	symbolizer_free(&names);
	symbols_free(&symbols);
	lines_free(lines);
}

static void demangle_text(const uint8_t *data, size_t len)
{
	char *text = strndup((const char *)data, len);
	struct buf out = {0};

	if (!text || demangle(text, &out) != 0 || out.len == 0 || out.data[out.len - 1] != '\0')
		abort();
	buf_free(&out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char path[64], identity[IDENTITY_SIZE];
	int fd;

	if (len < 4 || memcmp(data, "\177ELF", 4) != 0) {
		demangle_text(data, len);
		return 0;
	}
	fd = memfd_create("image", 0);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	if (identity_of_fd(fd, identity) != 0 || !memchr(identity, 0, sizeof(identity)))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	name_all(path);
	close(fd);
	return 0;
}
