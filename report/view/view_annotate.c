/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_annotate.c - functions by name: their whole source with the time spent in each line. If the source is not at
 * hand, the instructions; without a binary, the sampled addresses.
 */
#include "report/view/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int print_function(struct annotate *a, uint32_t function)
{
	const struct report *r = a->r;
	const struct fold_weights *f = &a->fold->functions[function];
	int used = fprintf(r->out.file, "%.1f%% total, %.1f%% self: ", 100 * fold_share(a->fold, f->total[FOLD_NEW]),
	                   100 * fold_share(a->fold, f->self[FOLD_NEW]));
	int rc;

	text_name(r->out.file, r->run->names.functions[function].name, text_room(r->out.width, used), r->out.utf8);
	fputc('\n', r->out.file);
	rc = annotate_source(a, function);
	return rc == 0 ? annotate_code(a, function) : rc < 0 ? rc : 0;
}

static int by_weight_of_function(const void *va, const void *vb, void *ctx)
{
	const struct annotate *annotate = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct fold_weights *fa = &annotate->fold->functions[a], *fb = &annotate->fold->functions[b];
	const struct function *names = annotate->r->run->names.functions;

	if (fa->self[FOLD_NEW] != fb->self[FOLD_NEW])
		return fa->self[FOLD_NEW] > fb->self[FOLD_NEW] ? -1 : 1;
	if (fa->total[FOLD_NEW] != fb->total[FOLD_NEW])
		return fa->total[FOLD_NEW] > fb->total[FOLD_NEW] ? -1 : 1;
	return strcmp(names[a].name, names[b].name);
}

/* Those that the pattern matches and samples were in: their number. */
static size_t find_functions(const struct annotate *a, uint32_t *functions)
{
	const struct annotated_set *set = &a->annotation.addresses;
	double limit = view_limit(a->r->options, 0);
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		uint32_t function = set->of[i].function;

		if ((i == 0 || set->of[i - 1].function != function) &&
		    fold_share(a->fold, a->fold->functions[function].total[FOLD_NEW]) >= limit)
			functions[n++] = function;
	}
	return n;
}

static int annotate_functions(struct annotate *a)
{
	uint32_t *functions = malloc((a->annotation.addresses.n + 1) * sizeof(*functions));
	size_t n = functions ? find_functions(a, functions) : 0;
	int rc = functions ? 0 : -ENOMEM;

	qsort_r(functions, n, sizeof(*functions), by_weight_of_function, a);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i > 0)
			fputc('\n', a->r->out.file);
		rc = print_function(a, functions[i]);
	}
	free(functions);
	return rc;
}

static int print_annotated(const struct report *r, struct fold *fold, struct view_result *found)
{
	const struct fold_request request = view_request(r);
	struct annotate a = {.r = r, .fold = fold};
	int rc = annotation_make(&a.annotation, &request, r->options->pattern);

	if (rc != 0)
		return rc;
	found->nothing = a.annotation.addresses.n == 0;
	rc = annotate_functions(&a);
	source_free(&a.source);
	extents_free(&a.extents);
	annotation_free(&a.annotation);
	return rc;
}

const struct view view_annotate = {
	.name = "annotate",
	.alias = "list",
	.arg = "RE",
	.help = "source of functions that match RE, with the time spent in each line; without source, "
		"their instructions",
	.states = STATES_CPU,
	.takes = VIEW_PATTERN | VIEW_LIMITS,
	.table = print_annotated,
};
