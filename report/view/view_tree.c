/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.c - the call tree: from the root down, or from the leaves up to their callers. */
#include "report/view/table_columns.h"
#include "report/output/text.h"
#include "report/view/view.h"

#include <string.h>

#define DEFAULT_LIMIT 0.5   /* percent; perf's for call graphs */
#define LEAST_FOR_A_NAME 32 /* columns kept for the name at any depth, on a terminal */

struct walk {
	const struct report *r;
	const struct fold *fold;
	double limit;
	size_t hidden;
	int depth;
};

/* Then a node's weight is the own time of the function that its branch begins with, called in this way. */
static bool is_bottom_up(const struct report *r)
{
	return r->selection->bottom_up;
}

/* How many columns they take. */
static int print_weights(const struct walk *w, const struct fold_node *n)
{
	const struct report *r = w->r;
	int shares = is_bottom_up(r) ? 1 : 2;

	column_share(&r->out, fold_share(w->fold, n->total));
	fputc(' ', r->out.file);
	if (shares == 2) {
		column_share(&r->out, fold_share(w->fold, n->self));
		fputc(' ', r->out.file);
	}
	column_weight(&r->out, w->fold->unit, n->total);
	fputs("    ", r->out.file);
	return shares * (COLUMN_SHARE + 1) + COLUMN_WEIGHT + 4;
}

static void print_node(const struct walk *w, uint32_t n)
{
	const struct report *r = w->r;
	const struct fold_node *node = &w->fold->nodes[n];
	int used = w->fold->compared ? COLUMNS_CHANGE : print_weights(w, node);
	int indent = 2 * w->depth, most = (r->out.width - used - LEAST_FOR_A_NAME) / 2 * 2;
	char note[16] = "";

	if (w->fold->compared)
		columns_change(&r->out, w->fold, node->old_total, node->total);
	if (r->out.width && indent > most) {
		indent = most > 0 ? most : 0;
		snprintf(note, sizeof(note), "[%d] ", w->depth);
	}
	fprintf(r->out.file, "%*s%s", indent, "", note);
	text_name(r->out.file, r->run->names.functions[node->function].name,
	          text_room(r->out.width, used + indent + (int)strlen(note)), r->out.utf8);
	fputc('\n', r->out.file);
}

static bool is_small(const struct walk *w, const struct fold_node *n)
{
	return fold_share(w->fold, n->total) < w->limit && fold_old_share(w->fold, n->old_total) < w->limit;
}

/* The first of @n and its siblings that is to be shown. */
static uint32_t shown(struct walk *w, uint32_t n)
{
	while (n != FOLD_NONE && is_small(w, &w->fold->nodes[n])) {
		w->hidden++;
		n = w->fold->nodes[n].sibling;
	}
	return n;
}

static uint32_t after(struct walk *w, uint32_t n)
{
	uint32_t next = shown(w, w->fold->nodes[n].child);

	if (next != FOLD_NONE) {
		w->depth++;
		return next;
	}
	while (n != 0) {
		next = shown(w, w->fold->nodes[n].sibling);
		if (next != FOLD_NONE)
			return next;
		n = w->fold->nodes[n].parent;
		w->depth--;
	}
	return FOLD_NONE;
}

static int print_tree(const struct report *r, struct fold *fold, struct view_result *found)
{
	struct walk w = {.r = r, .fold = fold, .limit = view_limit(r->options, DEFAULT_LIMIT)};
	int rc = fold_sort(fold, &r->run->names, fold->compared ? FOLD_BY_CHANGE : FOLD_BY_TOTAL);

	(void)found;
	if (rc != 0)
		return rc;
	if (fold->compared)
		columns_change_head(&r->out, fold->unit);
	if (fold->compared)
		fputs("Function\n", r->out.file);
	else if (is_bottom_up(r))
		fprintf(r->out.file, "%6s %12s    Function\n", "Self", column_weight_title(w.fold->unit));
	else
		fprintf(r->out.file, "%6s %6s %12s    Function\n", "Total", "Self", column_weight_title(w.fold->unit));
	for (uint32_t n = shown(&w, fold->nodes[0].child); n != FOLD_NONE; n = after(&w, n))
		print_node(&w, n);
	if (w.hidden)
		fprintf(r->out.file, "(%s branch%s below %g%% not shown; --percent-limit 0 shows all)\n",
		        text_count(w.hidden).s, w.hidden == 1 ? "" : "es", 100 * w.limit);
	return 0;
}

static int run(const struct report *r, struct view_result *found)
{
	return view_table(r, found, print_tree);
}

const struct view view_tree = {
	.name = "tree",
	.help = "call tree, from the root down or --bottom-up",
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_TURNS | VIEW_LIMITS | VIEW_GROUPS,
	.run = run,
};
