/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.c - compares what an ELF file's code tells of its frames with what its unwind tables say, at every instruction,
 * or during every call where they hold at calls only: rows [-v] FILE. Prints counts, and with -v what is not known;
 * exit status 1 if the code is wrong anywhere.
 */
#include "report/symbols/symbols.h"
#include "report/isa/flow.h"
#include "report/unwind/code.h"
#include "report/unwind/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
	const struct isa *isa;
	struct image *image;
	struct symbols symbols;
	struct tables *tables;
	struct exidx *exidx; /* if there are no others */
	struct code *code;
	struct flow_reader *reader;
	bool verbose, at_calls;
	unsigned long same, unknown, wrong, uncovered;
};

/* Rows may say the same by the stack pointer or by the frame pointer: the code knows both, a row has one. */
static const char *compare(const struct isa *isa, const struct cfi_row *table, const struct cfi_row *code)
{
	if (table->kind != CFI_CALLER)
		return NULL;
	if (table->cfa_base == code->cfa_base && !table->cfa_deref && table->cfa_offset != code->cfa_offset)
		return "CFA";
	/* Compilers do not say that a register was popped: it stays saved, below the stack pointer. */
	if (table->reg[isa->fp].where == CFI_SAVED && code->reg[isa->fp].where == CFI_SAME &&
	    table->cfa_base == isa->sp && table->cfa_offset + table->reg[isa->fp].offset < 0)
		return NULL;
	/* Or loaded, and what it was loaded from is still there. */
	if (table->reg[isa->fp].where == CFI_SAVED && code->reg[isa->fp].where == CFI_SAME &&
	    table->reg[isa->fp].offset == code->reg[isa->fp].offset)
		return NULL;
	/* clang tells of all registers pushed behind the last push: until then they are in both places. */
	if (table->reg[isa->fp].where == CFI_SAME && code->reg[isa->fp].where == CFI_SAVED)
		return NULL;
	/* Tables of an aligned frame go by its frame pointer, the code by the CFA that it had. */
	if (table->reg[isa->fp].where == CFI_SAVED_BY_FP)
		return NULL;
	if (table->reg[isa->fp].where != code->reg[isa->fp].where ||
	    (table->reg[isa->fp].where == CFI_SAVED && table->reg[isa->fp].offset != code->reg[isa->fp].offset))
		return "frame pointer";
	return NULL;
}

/* Where it matters least which base the CFA has: what is saved where, from the CFA. */
static const char *compare_saved(const struct isa *isa, const struct cfi_row *table, const struct cfi_row *code)
{
	if (table->ra == CFI_RA_LINK || table->ra_offset != code->ra_offset)
		return "return address";
	for (unsigned k = 0; k < isa->nkept; k++) {
		unsigned r = isa->kept[k];

		if (r != isa->link &&
		    (table->reg[r].where != code->reg[r].where || table->reg[r].offset != code->reg[r].offset))
			return "saved register";
	}
	return NULL;
}

static void print(const struct isa *isa, const char *what, const char *name, uint64_t offset,
                  const struct cfi_row *table, const struct cfi_row *code)
{
	printf("%s %s+0x%llx: table r%u%+d fp %u %d", what, name, (unsigned long long)offset, table->cfa_base,
	       table->cfa_offset, table->reg[isa->fp].where, table->reg[isa->fp].offset);
	if (code)
		printf(", code r%u%+d fp %u %d", code->cfa_base, code->cfa_offset, code->reg[isa->fp].where,
		       code->reg[isa->fp].offset);
	putchar('\n');
}

static void compare_at(struct comparison *c, const struct symbol_range *range, uint64_t address)
{
	const char *name = symbols_name(&c->symbols, range);
	struct cfi_row table, code;
	const char *what;

	if ((c->at_calls ? exidx_row(c->exidx, address - 1, &table) : tables_row(c->tables, address, &table)) != 0) {
		c->uncovered++;
		return;
	}
	if (code_row(c->code, address, c->at_calls, &code) != 0) {
		c->unknown++;
		if (c->verbose)
			print(c->isa, "unknown", name, address - range->symbol_start, &table, NULL);
		return;
	}
	what = compare(c->isa, &table, &code);
	if (!what && c->at_calls)
		what = compare_saved(c->isa, &table, &code);
	if (!what) {
		c->same++;
		return;
	}
	c->wrong++;
	print(c->isa, what, name, address - range->symbol_start, &table, &code);
}

static void compare_range(struct comparison *c, const struct symbol_range *range)
{
	const struct isa *isa = image_isa_at(c->image, range->start);

	for (uint64_t at = range->start; at < range->end;) {
		struct instruction x;
		size_t left;
		const uint8_t *code = image_code(c->image, at, &left);

		if (!code || !flow_step(c->reader, isa, code, left, at, NULL, &x))
			return;
		if (!c->at_calls && !isa->is_padding(code, left))
			compare_at(c, range, at);
		at += x.size;
		if (c->at_calls && x.flow == FLOW_CALL)
			compare_at(c, range, at);
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
	c.isa = image_isa(c.image);
	c.tables = tables_new(c.image);
	c.at_calls = !c.tables;
	c.exidx = c.tables ? NULL : exidx_new(c.image);
	c.code = code_new(c.image, &c.symbols);
	c.reader = c.isa ? flow_open(c.isa) : NULL;
	if ((!c.tables && !c.exidx) || !c.code || !c.reader) {
		fprintf(stderr, "rows: %s: no unwind tables, or not a known instruction set\n", argv[argc - 1]);
		return 2;
	}
	for (size_t i = 0; i < c.symbols.nranges; i++)
		compare_range(&c, &c.symbols.ranges[i]);
	printf("%lu same, %lu not known, %lu wrong, %lu without a table\n", c.same, c.unknown, c.wrong, c.uncovered);
	flow_close(c.reader);
	code_free(c.code);
	tables_free(c.tables);
	free(c.exidx);
	symbols_free(&c.symbols);
	image_close(c.image);
	return c.wrong != 0;
}
