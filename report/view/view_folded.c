/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_folded.c - folded stacks, "root;...;leaf count", one line per stack: flamegraph.pl, inferno and speedscope
 * read them.
 *
 * In a comparison there are two counts, as difffolded.pl -n writes them: the old one first, normalised. Lines are
 * sorted by the names of their frames from the root on, so that the callees of one function stay together.
 */
#include "common/array.h"
#include "report/view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	struct buf text;
	size_t *ends; /* how long the text is in front of each frame but the first */
	size_t cap;
};

/* Frame number @depth is @name. ';' parts frames, so it becomes ':' within one; names are safe otherwise. */
static int push_name(struct line *line, uint32_t depth, const char *name)
{
	int rc = array_room(&line->ends, &line->cap, depth + 1, sizeof(*line->ends));

	if (rc != 0)
		return rc;
	line->text.len = depth ? line->ends[depth] : 0;
	if (depth)
		rc = buf_add(&line->text, ";", 1);
	for (size_t part; rc == 0 && *name; name += part) {
		part = *name == ';' ? 1 : strcspn(name, ";");
		rc = buf_add(&line->text, *name == ';' ? ":" : name, part);
	}
	line->ends[depth + 1] = line->text.len;
	return rc;
}

static int print_lines(const struct report *r, const struct fold *fold, struct line *line)
{
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < fold->n; i++) {
		const struct fold_node *node = &fold->nodes[i];

		rc = push_name(line, node->depth - 1, r->run->names.functions[node->function].name);
		if (rc != 0 || (!node->w.self[FOLD_NEW] && !node->w.self[FOLD_OLD]))
			continue;
		fwrite_unlocked(line->text.data, 1, line->text.len, r->out.file);
		if (fold->compared)
			fprintf(r->out.file, " %" PRIu64, fold_normal(fold, node->w.self[FOLD_OLD]));
		fprintf(r->out.file, " %" PRIu64 "\n", node->w.self[FOLD_NEW]);
	}
	return rc;
}

static int print_folded(const struct report *r, struct fold *fold)
{
	struct line line = {0};
	int rc = fold_sort(fold, &r->run->names, FOLD_BY_NAME);

	if (rc == 0)
		rc = print_lines(r, fold, &line);
	buf_free(&line.text);
	free(line.ends);
	if (rc == 0)
		view_end(r, fold, fold->total[FOLD_NEW] + fold->total[FOLD_OLD]);
	return rc;
}

const struct view view_folded = {
	.name = "folded",
	.help = "one line per stack, 'root;...;leaf count', for flame graph programs",
	.endings = {".folded", ".collapsed"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_TURNS | VIEW_GROUPS,
	.write = print_folded,
};
