/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.c - who called whom, from the root down. */
#include "report/text.h"
#include "report/view.h"

#include <string.h>

#define BEFORE_NAME 30        /* columns */
#define DEFAULT_LIMIT 0.5     /* percent; perf's for call graphs */
#define LEAST_FOR_A_NAME 32   /* columns kept for it however deep it stands, on a terminal */

static void print_node(const struct report *r, const struct fold *fold, uint32_t n, int depth)
{
	const struct fold_node *node = &fold->nodes[n];
	int indent = 2 * depth, most = (r->width - BEFORE_NAME - LEAST_FOR_A_NAME) / 2 * 2;
	char note[16] = "";

	if (r->width && indent > most) {
		indent = most > 0 ? most : 0;
		snprintf(note, sizeof(note), "[%d] ", depth);
	}
	fprintf(r->out, "%6s %6s %12s    %*s%s", text_share(node->total, fold->whole).s,
	        text_share(node->self, fold->whole).s, text_count(node->total).s, indent, "", note);
	text_name(r->out, r->names.functions[node->function].name, text_room(r->width, BEFORE_NAME + indent + (int)strlen(note)), r->utf8);
	fputc('\n', r->out);
}

struct walk {
	double least;
	size_t hidden;
	int depth;
};

/* The first of @n and its siblings that is to be shown. */
static uint32_t shown(const struct fold *fold, struct walk *w, uint32_t n)
{
	while (n != FOLD_NONE && (double)fold->nodes[n].total < w->least) {
		w->hidden++;
		n = fold->nodes[n].sibling;
	}
	return n;
}

static uint32_t after(const struct fold *fold, struct walk *w, uint32_t n)
{
	uint32_t next = shown(fold, w, fold->nodes[n].child);

	if (next != FOLD_NONE) {
		w->depth++;
		return next;
	}
	while (n != 0) {
		next = shown(fold, w, fold->nodes[n].sibling);
		if (next != FOLD_NONE)
			return next;
		n = fold->nodes[n].parent;
		w->depth--;
	}
	return FOLD_NONE;
}

static int print_tree(const struct report *r, struct fold *fold)
{
	double limit = r->percent_limit >= 0 ? r->percent_limit : DEFAULT_LIMIT;
	struct walk w = {.least = (double)fold->whole * limit / 100};
	int rc = fold_sort(fold, &r->names, FOLD_BY_TOTAL);

	if (rc != 0)
		return rc;
	fprintf(r->out, "%6s %6s %12s    Function\n", "Total", "Self", "samples");
	for (uint32_t n = shown(fold, &w, fold->nodes[0].child); n != FOLD_NONE; n = after(fold, &w, n))
		print_node(r, fold, n, w.depth);
	if (w.hidden)
		fprintf(r->out, "(%s branch%s below %g%% not shown; --percent-limit 0 shows all)\n",
		        text_count(w.hidden).s, w.hidden == 1 ? "" : "es", limit);
	return 0;
}

static int run(struct report *r)
{
	return view_table(r, print_tree);
}

const struct view view_tree = {
	.name = "tree",
	.help = "call tree from the root down, with what each function cost in all",
	.states = STATES_CPU,
	.run = run,
};
