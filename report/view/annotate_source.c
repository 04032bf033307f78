/* SPDX-License-Identifier: BSD-2-Clause */
/* annotate_source.c - a function's source, each line beside its weight. */
#include "report/view/annotate.h"
#include "report/view/listing.h"

#include <errno.h>
#include <string.h>

/* 0, also if there is no such file, or -ENOMEM. */
static int open_source(struct annotate *a, const char *file)
{
	int rc;

	if (file == a->source_file)
		return 0;
	source_free(&a->source);
	a->source_file = file;
	rc = file ? source_read(&a->source, file, a->r->options->source_path) : -ENOENT;
	a->has_source = rc == 0;
	return rc == -ENOMEM ? rc : 0;
}

/* Looks through the code that the function was sampled in: its own symbol, and those that it is inlined into. */
static int find_extents(struct annotate *a, uint32_t function)
{
	size_t n;
	const struct annotated *addresses = annotation_of(&a->annotation.addresses, function, &n);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = extents_add(&a->extents, &a->r->run->binaries, &a->r->run->names, addresses[i].program,
		                 annotated_instruction(&addresses[i]));
	return rc;
}

/* --- a file of it ------------------------------------------------------------------------------------------------ */

/* From the first line of the function to the last one, as far as the file has them; false: it has none. */
static bool find_line_range(const struct annotate *a, const struct annotated *lines, size_t n, uint32_t *first,
                            uint32_t *last)
{
	const struct extent *extent = extents_find(&a->extents, lines[0].function, lines[0].file);

	*first = UINT32_MAX;
	*last = 0;
	for (size_t i = 0; i < n; i++) {
		if (lines[i].line == 0 || lines[i].line > a->source.n)
			continue;
		*first = lines[i].line < *first ? lines[i].line : *first;
		*last = lines[i].line > *last ? lines[i].line : *last;
	}
	if (extent && extent->first < *first)
		*first = extent->first;
	if (extent && extent->last > *last && extent->last <= a->source.n)
		*last = extent->last;
	if (*first > *last)
		return false;
	source_function(&a->source, first, last);
	return true;
}

static int list_source_lines(const struct annotate *a, const struct annotated *lines, size_t n, struct listing *out)
{
	uint32_t line, last;
	int rc = 0;

	if (find_line_range(a, lines, n, &line, &last))
		for (; rc == 0 && line <= last; line++)
			rc = listing_add(out, line, source_line(&a->source, line));
	return rc;
}

/* Those of no line, or of one that the file does not have, come last. */
static int weigh_lines(struct listing *out, const struct annotated *lines, size_t n)
{
	size_t nlines = out->n, k = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t at;

		while (k < nlines && out->of[k].place < lines[i].line)
			k++;
		at = k;
		if (k == nlines || out->of[k].place != lines[i].line) {
			rc = listing_add(out, lines[i].line, strdup(""));
			at = out->n - 1;
		}
		if (rc == 0) {
			out->of[at].self = lines[i].self;
			out->of[at].total = lines[i].total;
		}
	}
	return rc;
}

static int print_file(const struct annotate *a, const struct annotated *lines, size_t n)
{
	const struct text_out *out = &a->r->out;
	struct listing listing = {0};
	int rc;

	text_path(out->file, lines[0].file, out->width, out->utf8);
	fputs(a->source.changed_ns > a->r->run->traces.session.start_real_ns
	              ? "\n(changed since the guest was recorded)\n"
	              : "\n",
	      out->file);
	listing_head(out, a->fold->unit, "Line", "Source");
	rc = list_source_lines(a, lines, n, &listing);
	if (rc == 0)
		rc = weigh_lines(&listing, lines, n);
	if (rc == 0)
		listing_print(&listing, out, a->fold, false);
	listing_free(&listing);
	return rc;
}

int annotate_source(struct annotate *a, uint32_t function)
{
	size_t n, some;
	const struct annotated *lines = annotation_of(&a->annotation.lines, function, &n);
	int rc = 0, any = 0;

	for (; rc == 0 && n > 0; lines += some, n -= some) {
		for (some = 1; some < n && lines[some].file == lines[0].file; some++)
			;
		rc = open_source(a, lines[0].file);
		if (rc != 0 || !a->has_source)
			continue;
		rc = any ? 0 : find_extents(a, function);
		any = 1;
		if (rc == 0)
			rc = print_file(a, lines, some);
	}
	return rc == 0 ? any : rc;
}
