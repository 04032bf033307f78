/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_folded.c - folded stacks, "root;...;leaf count", one line per stack: flamegraph.pl, inferno and speedscope
 * read them.
 *
 * In a comparison there are two counts, as difffolded.pl -n writes them: the old one first, normalised. Lines are
 * sorted by the names of their frames from the root on, so that the callees of one function stay together.
 */
#include "common/buf.h"
#include "report/view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	struct buf text;
	size_t *ends; /* how long the text was before each frame */
	size_t depth, cap;
};

/* ';' parts frames, so it becomes ':' within one; names are safe otherwise. */
static int push(struct line *line, const char *name)
{
	int rc = array_room(&line->ends, &line->cap, line->depth, sizeof(*line->ends));
	size_t start;

	if (rc != 0)
		return rc;
	line->ends[line->depth++] = line->text.len;
	if (line->text.len != 0)
		rc = buf_add(&line->text, ";", 1);
	start = line->text.len;
	if (rc == 0)
		rc = buf_add(&line->text, name, strlen(name));
	for (size_t i = start; rc == 0 && i < line->text.len; i++)
		if (line->text.data[i] == ';')
			line->text.data[i] = ':';
	return rc;
}

static void pop(struct line *line)
{
	line->text.len = line->ends[--line->depth];
}

static int enter(const struct report *r, const struct fold *fold, struct line *line, uint32_t n)
{
	const struct fold_node *node = &fold->nodes[n];
	int rc = push(line, r->run->names.functions[node->function].name);

	if (rc != 0 || (!node->self && !node->old_self))
		return rc;
	fwrite_unlocked(line->text.data, 1, line->text.len, r->out.file);
	if (fold->compared)
		fprintf(r->out.file, " %" PRIu64, fold_normal(fold, node->old_self));
	fprintf(r->out.file, " %" PRIu64 "\n", node->self);
	return rc;
}

static int print_lines(const struct report *r, const struct fold *fold)
{
	struct line line = {0};
	uint32_t n = fold->nodes[0].child;
	int rc = 0;

	while (rc == 0 && n != FOLD_NONE && n != 0) {
		rc = enter(r, fold, &line, n);
		if (fold->nodes[n].child != FOLD_NONE) {
			n = fold->nodes[n].child;
			continue;
		}
		for (; rc == 0 && n != 0 && fold->nodes[n].sibling == FOLD_NONE; n = fold->nodes[n].parent)
			pop(&line);
		if (rc == 0 && n != 0) {
			pop(&line);
			n = fold->nodes[n].sibling;
		}
	}
	buf_free(&line.text);
	free(line.ends);
	return rc;
}

static int run(const struct report *r, struct view_result *found)
{
	struct fold fold;
	int rc = view_fold(r, &fold);

	(void)found;
	if (rc != 0)
		return rc;
	rc = fold_sort(&fold, &r->run->names, FOLD_BY_NAME);
	if (rc == 0)
		rc = print_lines(r, &fold);
	if (rc == 0)
		view_end(r, &fold, fold.total + fold.old_total);
	fold_free(&fold);
	return rc;
}

const struct view view_folded = {
	.name = "folded",
	.help = "one line per stack, 'root;...;leaf count', for flame graph programs",
	.endings = {".folded", ".collapsed"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_TURNS | VIEW_GROUPS,
	.run = run,
};
