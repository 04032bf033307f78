/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.c - the call tree: from the root down, or from the leaves up to their callers. */
#include "report/view/table_columns.h"
#include "report/output/text.h"
#include "report/view/view.h"

#include <string.h>

#define DEFAULT_LIMIT 0.5 /* percent; perf's for call graphs */
#define WEIGHTS_WIDTH (2 * (COLUMN_SHARE + 1) + COLUMN_WEIGHT + 4)
#define LEAST_FOR_A_NAME 32 /* columns kept for the name at any depth, on a terminal */

/* Then a node's weight is the own time of the function that its branch begins with, called in this way. */
static bool is_bottom_up(const struct report *r)
{
	return r->selection->bottom_up;
}

/* Then there are shares only, and less indentation. */
static bool is_narrow(const struct report *r)
{
	return !columns_fit(&r->out, WEIGHTS_WIDTH);
}

/* How many columns they take. */
static int print_node_weights(const struct report *r, const struct fold *fold, const struct fold_node *n)
{
	int shares = is_bottom_up(r) ? 1 : 2;

	column_share(&r->out, fold_share(fold, n->w.total[FOLD_NEW]));
	fputc(' ', r->out.file);
	if (shares == 2) {
		column_share(&r->out, fold_share(fold, n->w.self[FOLD_NEW]));
		fputc(' ', r->out.file);
	}
	if (is_narrow(r))
		return shares * (COLUMN_SHARE + 1) + fprintf(r->out.file, " ");
	column_weight(&r->out, fold->unit, n->w.total[FOLD_NEW]);
	fputs("    ", r->out.file);
	return shares * (COLUMN_SHARE + 1) + COLUMN_WEIGHT + 4;
}

static void print_node(const struct report *r, const struct fold *fold, const struct fold_node *node)
{
	int used = fold->compared ? columns_change(&r->out, fold, node->w.total) : print_node_weights(r, fold, node);
	int least = is_narrow(r) ? LEAST_FOR_A_NAME / 2 : LEAST_FOR_A_NAME; /* columns for the name */
	int depth = (int)node->depth - 1, indent = 2 * depth, most = (r->out.width - used - least) / 2 * 2;
	char note[16] = "";

	if (r->out.width && indent > most) {
		indent = most > 0 ? most : 0;
		snprintf(note, sizeof(note), "[%d] ", depth);
	}
	fprintf(r->out.file, "%*s%s", indent, "", note);
	text_name(r->out.file, r->run->names.functions[node->function].name,
	          text_room(r->out.width, used + indent + (int)strlen(note)), r->out.utf8);
	fputc('\n', r->out.file);
}

static int print_tree(const struct report *r, struct fold *fold, struct view_result *found)
{
	double limit = view_limit(r->options, DEFAULT_LIMIT);
	size_t hidden = 0;
	int rc = fold_sort(fold, &r->run->names, fold->compared ? FOLD_BY_CHANGE : FOLD_BY_TOTAL);

	(void)found;
	if (rc != 0)
		return rc;
	if (fold->compared)
		columns_change_head(&r->out, fold->unit);
	else
		fputs(is_bottom_up(r) ? "  Self " : " Total   Self ", r->out.file);
	if (!fold->compared && !is_narrow(r))
		fprintf(r->out.file, "%*s   ", COLUMN_WEIGHT, column_weight_title(fold->unit));
	fputs(fold->compared ? "Function\n" : " Function\n", r->out.file);
	for (size_t i = 1; i < fold->n; i++) {
		const struct fold_node *node = &fold->nodes[i];

		if (fold_reaches(fold, node->w.total, limit)) {
			print_node(r, fold, node);
			continue;
		}
		hidden++;
		i += node->below;
	}
	if (hidden)
		fprintf(r->out.file, "(%s branch%s below %g%% not shown; --percent-limit 0 shows all)\n",
		        text_count(hidden).s, hidden == 1 ? "" : "es", 100 * limit);
	return 0;
}

const struct view view_tree = {
	.name = "tree",
	.help = "call tree, from the root down or --bottom-up",
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_TURNS | VIEW_LIMITS | VIEW_GROUPS,
	.table = print_tree,
};
