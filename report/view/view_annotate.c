/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_annotate.c - functions by name, each line of their source beside the time spent in it. Of what has no source,
 * or where that is not here, the instructions; without an image the addresses alone.
 */
#include "report/view/table_columns.h"
#include "report/input/binaries.h"
#include "report/binary/source.h"
#include "report/profile/annotation.h"
#include "report/output/text.h"
#include "report/binary/disassembly.h"
#include "report/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT 4       /* lines shown before and behind one with samples */
#define COLUMN_PLACE 16 /* a line's number or an address */

struct list {
	const struct report *r;
	const struct fold *fold;
	struct annotation spots;
	struct source source; /* the file read last */
	const char *source_file;
	bool has_source;
};

/* A line of output: of the source, or an instruction. */
struct listed {
	uint64_t place;
	uint64_t self, total;
	char *text; /* owned, safe on a terminal */
};

struct listing {
	struct listed *of;
	size_t n, cap;
};

static int add_line(struct listing *l, uint64_t place, char *text)
{
	int rc = text ? array_room(&l->of, &l->cap, l->n, sizeof(*l->of)) : -ENOMEM;

	if (rc != 0)
		free(text);
	else
		l->of[l->n++] = (struct listed){.place = place, .text = text};
	return rc;
}

static void free_listing(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->of[i].text);
	free(l->of);
	*l = (struct listing){0};
}

/* --- printing ---------------------------------------------------------------------------------------------------- */

static void print_weights(const struct list *l, const struct listed *line)
{
	const struct report *r = l->r;

	if (line->total == 0) {
		fprintf(r->out.file, "%*s", 2 * (COLUMN_SHARE + 1) + COLUMN_WEIGHT, "");
		return;
	}
	column_share(&r->out, fold_share(l->fold, line->total));
	fputc(' ', r->out.file);
	column_share(&r->out, fold_share(l->fold, line->self));
	fputc(' ', r->out.file);
	column_weight(&r->out, r->selection->weight, line->total);
}

static void print_line(const struct list *l, const struct listed *line, bool is_code)
{
	const struct report *r = l->r;
	int used = 2 * (COLUMN_SHARE + 1) + COLUMN_WEIGHT + 2 + COLUMN_PLACE + 2;

	print_weights(l, line);
	if (is_code)
		fprintf(r->out.file, "  %*" PRIx64, COLUMN_PLACE, line->place);
	else if (line->place)
		fprintf(r->out.file, "  %*" PRIu64, COLUMN_PLACE, line->place);
	else
		fprintf(r->out.file, "  %*s", COLUMN_PLACE, "?");
	if (*line->text) {
		fputs("  ", r->out.file);
		text_name(r->out.file, line->text, text_room(r->out.width, used), r->out.utf8);
	}
	fputc('\n', r->out.file);
}

/* Is a line with samples near? */
static bool is_near(const struct listing *l, size_t i)
{
	size_t from = i > CONTEXT ? i - CONTEXT : 0, to = i + CONTEXT < l->n ? i + CONTEXT : l->n - 1;

	for (size_t k = from; k <= to; k++)
		if (l->of[k].total)
			return true;
	return false;
}

/* Of source only the lines to be shown are in @listing, of instructions all. */
static void print_listing(const struct list *l, const struct listing *listing, bool is_code)
{
	const struct listed *before = NULL;
	bool left_out = false;

	for (size_t i = 0; i < listing->n; i++) {
		const struct listed *line = &listing->of[i];

		if (!is_near(listing, i)) {
			left_out = true;
			continue;
		}
		if (before && (is_code ? left_out : line->place > before->place + 1))
			fprintf(l->r->out.file, "%*s\n", 2 * (COLUMN_SHARE + 1) + COLUMN_WEIGHT + 2 + COLUMN_PLACE,
			        "...");
		left_out = false;
		before = line;
		print_line(l, line, is_code);
	}
}

/* --- instructions ------------------------------------------------------------------------------------------------ */

/* "<leaf+0x10>"; "" for an address without a name. NULL: no memory. */
static char *symbol_text(const struct list *l, uint64_t address)
{
	struct symbolizer *names = &l->r->run->names;
	struct frame_name name;
	char *text;
	int n;

	if (symbolizer_find(names, address, false, &name) != 0)
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
static char *instruction_text(const struct list *l, const struct instruction *i)
{
	char *symbol = i->has_target ? symbol_text(l, i->target) : NULL;
	char *text;
	int n;

	if (!symbol)
		return strdup(i->text);
	n = asprintf(&text, "%s %s", i->text, symbol);
	free(symbol);
	return n < 0 ? NULL : text;
}

/* The function from @start to *@end that @at is in; *@end is how far it came. */
static int disassemble(const struct list *l, uint64_t at, uint64_t start, uint64_t *end, struct listing *out)
{
	uint16_t machine;
	size_t left;
	const uint8_t *code = binaries_code(&l->r->run->binaries, at, start, &left, &machine);
	struct disassembly *d = code ? disassembly_new(machine) : NULL;
	int rc = 0;

	if (!d)
		return !code || errno == ENOTSUP ? 0 : -ENOMEM;
	left = left < *end - start ? left : (size_t)(*end - start);
	left = left < ARCHIVE_CODE_MAX ? left : ARCHIVE_CODE_MAX;
	while (rc == 0 && left > 0) {
		struct instruction i = disassembly_at(d, code, left, start);

		rc = add_line(out, start, instruction_text(l, &i));
		code += i.size;
		left -= i.size;
		start += i.size;
	}
	*end = start;
	disassembly_free(d);
	return rc;
}

/*
 * Gives the instructions, which go on to @end, what their spots weigh; those that lie in none are lines of their own.
 */
static int weigh_instructions(const struct list *l, struct listing *lines, uint64_t end, const struct annotated *spots,
                              size_t n)
{
	size_t ninstructions = lines->n, k = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint64_t place = annotated_instruction(&spots[i]);
		size_t at;

		while (k + 1 < ninstructions && lines->of[k + 1].place <= place)
			k++;
		at = k;
		if (ninstructions == 0 || place < lines->of[k].place || place >= end) {
			rc = add_line(lines, place, symbol_text(l, place));
			at = lines->n - 1;
		}
		if (rc == 0) {
			lines->of[at].self += spots[i].self;
			lines->of[at].total += spots[i].total;
		}
	}
	return rc;
}

/* How many of @spots lie in the symbol of the first one, or, as it, in none. */
static size_t count_in_symbol(const struct symbols *s, const struct annotated *spots, size_t n)
{
	const struct symbol_range *first = symbols_range(s, annotated_instruction(&spots[0]));
	uint64_t end = first ? symbols_end(s, first) : 0;
	size_t i = 1;

	while (i < n &&
	       (first ? annotated_instruction(&spots[i]) < end : !symbols_range(s, annotated_instruction(&spots[i]))))
		i++;
	return i;
}

static int list_symbol(const struct list *l, const struct annotated *spots, size_t n)
{
	const struct symbols *s = &l->r->run->binaries.symbols;
	uint64_t at = annotated_instruction(&spots[0]);
	const struct symbol_range *range = symbols_range(s, at);
	struct listing lines = {0};
	uint64_t end = range ? symbols_end(s, range) : 0;
	int rc = range ? disassemble(l, at, range->symbol_start, &end, &lines) : 0;

	if (rc == 0)
		rc = weigh_instructions(l, &lines, end, spots, n);
	if (rc == 0)
		print_listing(l, &lines, true);
	free_listing(&lines);
	return rc;
}

static int list_code(const struct list *l, uint32_t function)
{
	size_t n, some;
	const struct annotated *spots = annotation_of(&l->spots.addresses, function, &n);
	int rc = 0;

	fprintf(l->r->out.file, "%6s %6s %12s  %*s  Instruction\n", "Total", "Self",
	        column_weight_title(l->r->selection->weight), COLUMN_PLACE, "Address");
	for (; rc == 0 && n > 0; spots += some, n -= some) {
		some = count_in_symbol(&l->r->run->binaries.symbols, spots, n);
		rc = list_symbol(l, spots, some);
	}
	return rc;
}

/* --- source ------------------------------------------------------------------------------------------------------ */

/* 0, also if there is no such file, or -ENOMEM. */
static int open_source(struct list *l, const char *file)
{
	int rc;

	if (file == l->source_file)
		return 0;
	source_free(&l->source);
	l->source_file = file;
	rc = file ? source_read(&l->source, file, l->r->options->source_path) : -ENOENT;
	l->has_source = rc == 0;
	return rc == -ENOMEM ? rc : 0;
}

/* The lines around each spot, in their order. */
static int read_lines(const struct list *l, const struct annotated *spots, size_t n, struct listing *out)
{
	uint64_t next = 1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint64_t line = spots[i].line > CONTEXT ? spots[i].line - CONTEXT : 1,
			 last = (uint64_t)spots[i].line + CONTEXT;

		if (spots[i].line == 0 || spots[i].line > l->source.n)
			continue;
		for (line = line > next ? line : next; rc == 0 && line <= last && line <= l->source.n; line++)
			rc = add_line(out, line, source_line(&l->source, line));
		next = line > next ? line : next;
	}
	return rc;
}

/* Those of no line, or of one that the file does not have, come last. */
static int weigh_lines(struct listing *lines, const struct annotated *spots, size_t n)
{
	size_t nlines = lines->n, k = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t at;

		while (k < nlines && lines->of[k].place < spots[i].line)
			k++;
		at = k;
		if (k == nlines || lines->of[k].place != spots[i].line) {
			rc = add_line(lines, spots[i].line, strdup(""));
			at = lines->n - 1;
		}
		if (rc == 0) {
			lines->of[at].self = spots[i].self;
			lines->of[at].total = spots[i].total;
		}
	}
	return rc;
}

static int list_file(const struct list *l, const struct annotated *spots, size_t n)
{
	struct listing lines = {0};
	int rc;

	text_path(l->r->out.file, spots[0].file, l->r->out.width, l->r->out.utf8);
	fputs(l->source.changed_ns > l->r->run->traces.session.start_real_ns
	              ? "\n(changed since the guest was recorded)\n"
	              : "\n",
	      l->r->out.file);
	fprintf(l->r->out.file, "%6s %6s %12s  %*s  Source\n", "Total", "Self",
	        column_weight_title(l->r->selection->weight), COLUMN_PLACE, "Line");
	rc = read_lines(l, spots, n, &lines);
	if (rc == 0)
		rc = weigh_lines(&lines, spots, n);
	if (rc == 0)
		print_listing(l, &lines, false);
	free_listing(&lines);
	return rc;
}

/* Prints those files of the function's that are here: 1; 0: there is none; or a negative errno. */
static int list_source(struct list *l, uint32_t function)
{
	size_t n, some;
	const struct annotated *spots = annotation_of(&l->spots.lines, function, &n);
	int rc = 0, any = 0;

	for (; rc == 0 && n > 0; spots += some, n -= some) {
		for (some = 1; some < n && spots[some].file == spots[0].file; some++)
			;
		rc = open_source(l, spots[0].file);
		if (rc != 0 || !l->has_source)
			continue;
		rc = list_file(l, spots, some);
		any = 1;
	}
	return rc == 0 ? any : rc;
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

static int list_function(struct list *l, uint32_t function)
{
	const struct report *r = l->r;
	const struct fold_function *f = &l->fold->functions[function];
	int used = fprintf(r->out.file, "%.1f%% in all, %.1f%% itself: ", 100 * fold_share(l->fold, f->total),
	                   100 * fold_share(l->fold, f->self));
	int rc;

	text_name(r->out.file, r->run->names.functions[function].name, text_room(r->out.width, used), r->out.utf8);
	fputc('\n', r->out.file);
	rc = list_source(l, function);
	return rc == 0 ? list_code(l, function) : rc < 0 ? rc : 0;
}

static int compare_functions(const void *va, const void *vb, void *ctx)
{
	const struct list *l = ctx;
	const struct fold_function *a = &l->fold->functions[*(const uint32_t *)va],
				   *b = &l->fold->functions[*(const uint32_t *)vb];
	const struct function *names = l->r->run->names.functions;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(names[*(const uint32_t *)va].name, names[*(const uint32_t *)vb].name);
}

/* Those that the pattern matches and samples were in: their number. */
static size_t find_functions(const struct list *l, uint32_t *functions)
{
	const struct annotated_set *set = &l->spots.addresses;
	double limit = view_limit(l->r->options, 0);
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		uint32_t function = set->of[i].function;

		if ((i == 0 || set->of[i - 1].function != function) &&
		    fold_share(l->fold, l->fold->functions[function].total) >= limit)
			functions[n++] = function;
	}
	return n;
}

static int list_functions(struct list *l)
{
	uint32_t *functions = malloc((l->spots.addresses.n + 1) * sizeof(*functions));
	size_t n = functions ? find_functions(l, functions) : 0;
	int rc = functions ? 0 : -ENOMEM;

	qsort_r(functions, n, sizeof(*functions), compare_functions, l);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i > 0)
			fputc('\n', l->r->out.file);
		rc = list_function(l, functions[i]);
	}
	source_free(&l->source);
	free(functions);
	return rc;
}

static int print_list(const struct report *r, struct fold *fold, struct view_result *found)
{
	const struct fold_request request = view_request(r);
	struct list l = {.r = r, .fold = fold};
	int rc = annotation_make(&l.spots, &r->run->profile, &r->run->names, &request, r->options->pattern);

	if (rc != 0)
		return rc;
	found->nothing = l.spots.addresses.n == 0;
	rc = list_functions(&l);
	annotation_free(&l.spots);
	return rc;
}

static int run(const struct report *r, struct view_result *found)
{
	return view_table(r, found, print_list);
}

const struct view view_annotate = {
	.name = "annotate",
	.alias = "list",
	.arg = "RE",
	.help = "functions that match RE, line by line: their source where it is here, else their instructions",
	.states = STATES_CPU,
	.takes = VIEW_PATTERN | VIEW_LIMITS,
	.run = run,
};
