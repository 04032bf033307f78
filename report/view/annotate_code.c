/* SPDX-License-Identifier: BSD-2-Clause */
/* annotate_code.c - a function's instructions, each beside its weight; without code the addresses alone. */
#include "common/say.h"
#include "report/isa/disassembly.h"
#include "report/view/annotate.h"
#include "report/view/listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- text -------------------------------------------------------------------------------------------------------- */

/* "<leaf+0x10>"; "" for an address without a name. NULL: no memory. */
static char *symbol_text(struct symbolizer *names, uint32_t program, uint64_t address)
{
	struct frame_name name;
	char *text;
	int n;

	if (symbolizer_find(names, program, address, false, &name) != 0)
		return NULL;
	if (!names->functions[name.function].named)
		return strdup("");
	if (name.offset)
		n = asprintf(&text, "<%s+0x%" PRIx64 ">", names->functions[name.function].name, name.offset);
	else
		n = asprintf(&text, "<%s>", names->functions[name.function].name);
	return n < 0 ? NULL : text;
}

/* "callq 0x1000 <leaf>". */
static char *instruction_text(struct symbolizer *names, uint32_t program, const struct instruction *i)
{
	char *symbol = i->has_target ? symbol_text(names, program, i->target) : NULL;
	char *text;
	int n;

	if (!symbol)
		return strdup(i->text);
	n = asprintf(&text, "%s %s", i->text, symbol);
	free(symbol);
	return n < 0 ? NULL : text;
}

/* All of the function at @address of @program; *end is how far it came, 0 if there is no code. */
static int disassemble(struct recording *run, uint32_t program, uint64_t address, uint64_t *end, struct listing *out)
{
	uint64_t start;
	const struct isa *isa;
	size_t left;
	const uint8_t *code = program_function(&run->binaries.programs[program], address, &start, &left, &isa);
	struct disassembly *d = code ? disassembly_new(isa) : NULL;
	int rc = 0;

	*end = 0;
	if (!d)
		return !code || errno == ENOTSUP ? 0 : -ENOMEM;
	while (rc == 0 && left > 0) {
		struct instruction i = disassembly_at(d, code, left, start);

		rc = listing_add(out, start, instruction_text(&run->names, program, &i));
		code += i.size;
		left -= i.size;
		start += i.size;
	}
	*end = start;
	disassembly_free(d);
	return rc;
}

/* --- weights ----------------------------------------------------------------------------------------------------- */

/*
 * Gives the instructions, which go on to @end, what @addresses weigh; of those that lie in none each is a line of its
 * own.
 */
static int weigh_code(struct symbolizer *names, struct listing *lines, uint64_t end, const struct annotated *addresses,
                      size_t n)
{
	size_t ninstructions = lines->n, k = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint64_t place = annotated_instruction(&addresses[i]);
		size_t at;

		while (k + 1 < ninstructions && lines->of[k + 1].place <= place)
			k++;
		at = k;
		if (ninstructions == 0 || place < lines->of[k].place || place >= end) {
			rc = listing_add(lines, place, symbol_text(names, addresses[i].program, place));
			at = lines->n - 1;
		}
		if (rc == 0) {
			lines->of[at].self += addresses[i].self;
			lines->of[at].total += addresses[i].total;
		}
	}
	return rc;
}

/* How many of @addresses lie in the symbol of the first one, or, as it, in none of its program's. */
static size_t count_in_symbol(const struct binaries *b, const struct annotated *addresses, size_t n)
{
	const struct symbols *s = &b->programs[addresses[0].program].symbols;
	const struct symbol_range *first = symbols_range(s, annotated_instruction(&addresses[0]));
	uint64_t end = first ? symbols_end(s, first) : 0;
	size_t i = 1;

	while (i < n && addresses[i].program == addresses[0].program &&
	       (first ? annotated_instruction(&addresses[i]) < end
	              : !symbols_range(s, annotated_instruction(&addresses[i]))))
		i++;
	return i;
}

static int print_symbol(const struct annotate *a, const struct annotated *addresses, size_t n)
{
	struct recording *run = a->r->run;
	struct listing lines = {0};
	uint64_t end;
	int rc = disassemble(run, addresses[0].program, annotated_instruction(&addresses[0]), &end, &lines);

	if (rc == 0)
		rc = weigh_code(&run->names, &lines, end, addresses, n);
	if (rc == 0)
		listing_print(&lines, &a->r->out, a->fold, true);
	listing_free(&lines);
	return rc;
}

/* Whose code it is: the guests that ran the program. */
static void print_guests(const struct recording *run, uint32_t program, FILE *out)
{
	const struct upf_session *s = &run->traces.session;
	const char *before = "\n";
	char name[256];

	for (uint32_t i = 0; i < s->ndomains; i++) {
		if (!traces_have(&run->traces, i) || !binaries_ran(&run->binaries, i, program))
			continue;
		domain_text(s, i, name, sizeof(name));
		fputs(before, out);
		print_safe(out, name);
		before = ", ";
	}
	fputc('\n', out);
}

int annotate_code(struct annotate *a, uint32_t function)
{
	size_t n, some;
	const struct annotated *addresses = annotation_of(&a->annotation.addresses, function, &n);
	bool several = n && addresses[0].program != addresses[n - 1].program; /* they are in order */
	uint32_t last = UINT32_MAX;
	int rc = 0;

	listing_head(&a->r->out, a->fold->unit, "Address", "Instruction");
	for (; rc == 0 && n > 0; addresses += some, n -= some) {
		if (several && addresses[0].program != last)
			print_guests(a->r->run, addresses[0].program, a->r->out.file);
		last = addresses[0].program;
		some = count_in_symbol(&a->r->run->binaries, addresses, n);
		rc = print_symbol(a, addresses, some);
	}
	return rc;
}
