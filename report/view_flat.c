/* SPDX-License-Identifier: BSD-2-Clause */
/* view_flat.c - a line a function: the time spent in it, and in it with what it called. */
#include "report/text.h"
#include "report/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_NAME 42 /* columns */

struct flat {
	const struct fold *fold;
	const struct names *names;
};

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct flat *flat = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct fold_function *a = &flat->fold->functions[ia], *b = &flat->fold->functions[ib];

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(flat->names->functions[ia].name, flat->names->functions[ib].name);
}

static void print_line(const struct report *r, const struct fold *fold, uint32_t function)
{
	const struct fold_function *f = &fold->functions[function];

	fprintf(r->out, "%6s %12s  %6s %12s  ", text_share(f->self, fold->whole).s, text_count(f->self).s,
	        text_share(f->total, fold->whole).s, text_count(f->total).s);
	text_name(r->out, r->names.functions[function].name, text_room(r->width, BEFORE_NAME), r->utf8);
	fputc('\n', r->out);
}

/* Functions of this profile, sorted; *n of them. NULL: -ENOMEM. */
static uint32_t *sorted(const struct report *r, const struct fold *fold, size_t *n)
{
	struct flat flat = {fold, &r->names};
	uint32_t *functions = malloc((fold->nfunctions + 1) * sizeof(*functions));

	*n = 0;
	for (uint32_t i = 0; functions && i < fold->nfunctions; i++)
		if (fold->functions[i].total)
			functions[(*n)++] = i;
	if (functions)
		qsort_r(functions, *n, sizeof(*functions), compare, &flat);
	return functions;
}

static int print_table(const struct report *r, struct fold *fold)
{
	double least = (double)fold->whole * (r->percent_limit > 0 ? r->percent_limit : 0) / 100;
	size_t n, hidden = 0;
	uint32_t *functions = sorted(r, fold, &n);

	if (!functions)
		return -ENOMEM;
	fprintf(r->out, "%6s %12s  %6s %12s  Function\n", "Self", "samples", "Total", "samples");
	for (size_t i = 0; i < n; i++) {
		if ((double)fold->functions[functions[i]].total >= least)
			print_line(r, fold, functions[i]);
		else
			hidden++;
	}
	if (hidden)
		fprintf(r->out, "(%s below %g%% not shown)\n", text_count(hidden).s, r->percent_limit);
	free(functions);
	return 0;
}

static int run(struct report *r)
{
	return view_table(r, print_table);
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions, by the time spent in each itself (the default)",
	.states = STATES_CPU,
	.run = run,
};
