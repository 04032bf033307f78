/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.c - compares what an ELF file's code tells of its frames with what its unwind tables say, at every instruction:
 * rows [-v] FILE. Prints counts, and with -v what is not known; exit status 1 if the code is wrong anywhere.
 */
#include "report/binary/symbols.h"
#include "report/unwind/code.h"
#include "report/unwind/flow.h"
#include "report/unwind/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
	struct image *image;
	struct symbols symbols;
	struct tables *tables;
	struct code *code;
	struct flow_reader *reader;
	bool verbose;
	unsigned long same, unknown, wrong, uncovered;
};

/* Rows may say the same by the stack pointer or by the frame pointer: the code knows both, a row has one. */
static const char *compare(const struct cfi_row *table, const struct cfi_row *code)
{
	if (table->kind != CFI_CALLER)
		return NULL;
	if (table->cfa_base == code->cfa_base && table->cfa_offset != code->cfa_offset)
		return "CFA";
	/* Compilers do not say that a register was popped: it stays saved, below the stack pointer. */
	if (table->reg[X86_FP].where == CFI_SAVED && code->reg[X86_FP].where == CFI_SAME &&
	    table->cfa_base == X86_SP && table->cfa_offset + table->reg[X86_FP].offset < 0)
		return NULL;
	/* clang tells of all registers pushed behind the last push: until then they are in both places. */
	if (table->reg[X86_FP].where == CFI_SAME && code->reg[X86_FP].where == CFI_SAVED)
		return NULL;
	if (table->reg[X86_FP].where != code->reg[X86_FP].where ||
	    (table->reg[X86_FP].where == CFI_SAVED && table->reg[X86_FP].offset != code->reg[X86_FP].offset))
		return "rbp";
	return NULL;
}

static void print(const char *what, const char *name, uint64_t offset, const struct cfi_row *table,
                  const struct cfi_row *code)
{
	printf("%s %s+0x%llx: table r%u%+d rbp %u %d", what, name, (unsigned long long)offset, table->cfa_base,
	       table->cfa_offset, table->reg[X86_FP].where, table->reg[X86_FP].offset);
	if (code)
		printf(", code r%u%+d rbp %u %d", code->cfa_base, code->cfa_offset, code->reg[X86_FP].where,
		       code->reg[X86_FP].offset);
	putchar('\n');
}

static void compare_at(struct comparison *c, const struct symbol_range *range, uint64_t address)
{
	const char *name = symbols_name(&c->symbols, range);
	struct cfi_row table, code;
	const char *what;

	if (tables_row(c->tables, address, &table) != 0) {
		c->uncovered++;
		return;
	}
	if (code_row(c->code, address, &code) != 0) {
		c->unknown++;
		if (c->verbose)
			print("unknown", name, address - range->symbol_start, &table, NULL);
		return;
	}
	what = compare(&table, &code);
	if (!what) {
		c->same++;
		return;
	}
	c->wrong++;
	print(what, name, address - range->symbol_start, &table, &code);
}

static bool is_padding(const uint8_t *code, size_t left)
{
	return *code == 0x90 || *code == 0xcc || (left > 1 && code[0] == 0x0f && code[1] == 0x1f) ||
	       (left > 1 && code[0] == 0x66 &&
	        (code[1] == 0x90 || code[1] == 0x2e || code[1] == 0x0f || code[1] == 0x66));
}

static void compare_range(struct comparison *c, const struct symbol_range *range)
{
	for (uint64_t at = range->start; at < range->end;) {
		struct instruction x;
		size_t left;
		const uint8_t *code = image_code(c->image, at, &left);

		if (!code || !flow_step(c->reader, code, left, at, NULL, &x))
			return;
		if (!is_padding(code, left))
			compare_at(c, range, at);
		at += x.size;
	}
}

int main(int argc, char **argv)
{
	struct comparison c = {.verbose = argc == 3 && strcmp(argv[1], "-v") == 0};
	char why[256];

	if (argc != 2 + c.verbose)
		return 2;
	c.image = image_open(argv[argc - 1], why, sizeof(why));
	if (!c.image || symbols_add_file(&c.symbols, argv[argc - 1], NULL, why, sizeof(why)) != 0 ||
	    symbols_sort(&c.symbols) != 0) {
		fprintf(stderr, "rows: %s: %s\n", argv[argc - 1], why);
		return 2;
	}
	c.tables = tables_new(c.image);
	c.code = code_new(c.image, &c.symbols);
	c.reader = flow_open();
	if (!c.tables || !c.code || !c.reader) {
		fprintf(stderr, "rows: %s: no unwind tables, or not for x86-64\n", argv[argc - 1]);
		return 2;
	}
	for (size_t i = 0; i < c.symbols.nranges; i++)
		compare_range(&c, &c.symbols.ranges[i]);
	printf("%lu same, %lu not known, %lu wrong, %lu without a table\n", c.same, c.unknown, c.wrong, c.uncovered);
	flow_close(c.reader);
	code_free(c.code);
	tables_free(c.tables);
	symbols_free(&c.symbols);
	image_close(c.image);
	return c.wrong != 0;
}
