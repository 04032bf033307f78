/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_archive.c - any bytes as payloads of an archive's blocks, then looked up. The first byte says which kind: 3
 * names, 4 stacks, 5 code, with 0x80 twice over, as two blocks that follow each other.
 */
#include "report/archive/archive.h"
#include "report/archive/archive_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static volatile size_t sum; /* so that what is handed out is read */

static void must(bool fine)
{
	if (!fine)
		abort();
}

static void look_up(const struct archive *a, uint64_t address)
{
	struct resolution found = {0};
	const struct isa *isa;
	size_t left = 0;
	const uint8_t *code = archive_code(a, address, &left, &isa);

	if (archive_find(a, address, &found)) {
		must(found.n >= 0 && found.n <= LINES_DEPTH_MAX);
		sum += found.symbol ? strlen(found.symbol) : 0;
		for (int i = 0; i < found.n; i++) {
			sum += found.frames[i].name ? strlen(found.frames[i].name) : 0;
			sum += found.frames[i].file ? strlen(found.frames[i].file) : 0;
		}
	}
	for (size_t i = 0; code && i < left; i++)
		sum += code[i];
}

static void try_archive(struct upf_block *b, bool by_program, int times)
{
	struct archive *a = archive_new();
	struct symbols symbols = {0};
	size_t memory = ARCHIVE_MEMORY_MAX;
	uint64_t offset, program;

	must(a);
	if (by_program && archive_program(b, &program) != 0)
		times = 0;
	while (times-- > 0)
		must(archive_add(a, &symbols, b, &memory) != -ENOMEM);
	must(symbols_sort(&symbols) == 0);
	archive_sort(a);
	for (uint64_t address = 0; address < 256; address++)
		look_up(a, address);
	for (size_t i = 0; i < symbols.nranges; i++) {
		look_up(a, symbols.ranges[i].start);
		must(symbols_find(&symbols, symbols.ranges[i].start, &offset));
	}
	symbols_free(&symbols);
	archive_free(a);
}

static void try_stacks(struct upf_block *b, bool by_program, int times)
{
	static struct chain chain;
	struct archive_stacks stacks = {.by_program = by_program};

	for (; times > 0; times--, b->seq++)
		must(archive_stacks_add(&stacks, b) != -ENOMEM);
	archive_stacks_of(&stacks, b);
	for (uint32_t stack = 0; stack < 64; stack++) {
		for (uint32_t top = 0; top < 16; top++) {
			archive_stacks_chain(&stacks, stack & by_program, stack, top, &chain);
			must(chain.n <= UPF_DEPTH_MAX + 1);
			for (uint32_t i = 0; i < chain.n; i++)
				sum += chain.frame[i].address;
		}
	}
	archive_stacks_free(&stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct upf_block b = {.seq = 1};
	bool by_program;
	int times;

	if (len == 0 || len > UPF_RAW_MAX)
		return 0;
	b.type = data[0] & 0x3f;
	by_program = data[0] & 0x40;
	times = data[0] & 0x80 ? 2 : 1;
	b.payload = data + 1;
	b.raw_size = (uint32_t)len - 1;
	if (b.type == UPF_BLOCK_STACKS)
		try_stacks(&b, by_program, times);
	else
		try_archive(&b, by_program, times);
	return 0;
}
