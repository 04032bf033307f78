/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.c - the flat profile as comma-separated values (RFC 4180): a line of headings, then a line a function. */
#include "report/export/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct fold *fold;
	const struct names *names;
};

/* The flat profile's order. */
static int compare(const void *va, const void *vb, void *ctx)
{
	const struct order *t = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct fold_function *a = &t->fold->functions[ia], *b = &t->fold->functions[ib];

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(t->names->functions[ia].name, t->names->functions[ib].name);
}

static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_line(const struct report *r, const struct fold *fold, uint32_t function)
{
	const struct fold_function *f = &fold->functions[function];

	put_quoted(r->out, r->names.functions[function].name);
	fprintf(r->out, ",%" PRIu64 ",%.4f,%" PRIu64 ",%.4f\r\n", f->self, 100 * fold_share(fold, f->self),
	        f->total, 100 * fold_share(fold, f->total));
}

static int put_table(const struct report *r, const struct fold *fold)
{
	struct order order = {fold, &r->names};
	uint32_t *functions = malloc((fold->nfunctions + 1) * sizeof(*functions));
	size_t n = 0;

	if (!functions)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->nfunctions; i++)
		if (fold->functions[i].total && 100 * fold_share(fold, fold->functions[i].total) >= r->percent_limit)
			functions[n++] = i;
	qsort_r(functions, n, sizeof(*functions), compare, &order);
	fputs("function,self,self_percent,total,total_percent\r\n", r->out);
	for (size_t i = 0; i < n; i++)
		put_line(r, fold, functions[i]);
	free(functions);
	return 0;
}

static int run(struct report *r)
{
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	rc = put_table(r, &fold);
	fold_free(&fold);
	return stacks_end(r, rc);
}

const struct view view_csv = {
	.name = "csv",
	.help = "the flat profile as comma-separated values",
	.states = STATES_CPU,
	.run = run,
};
