/* SPDX-License-Identifier: BSD-2-Clause */
/* view_flamegraph.c - the flame graph, as a page. */
#include "report/page/page.h"
#include "report/trust.h"

static int write_flame(struct report *r, const struct fold *fold)
{
	const struct flame_source source = {&r->profile, &r->names, r->session, r->states};
	struct flame flame = {0};
	int rc = flame_add(&flame, &source, FLAME_NOW, NULL);

	if (rc == 0)
		rc = flame_finish(&flame, NULL);
	if (rc == 0)
		rc = page_write(r, fold, &flame, NULL);
	flame_free(&flame);
	return rc;
}

static int run(struct report *r)
{
	struct fold fold;
	int rc = view_fold(r, &fold);

	if (rc != 0)
		return rc;
	rc = write_flame(r, &fold);
	if (rc == 0)
		page_said(r, &fold);
	fold_free(&fold);
	return rc;
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.help = "a flame graph: a page (HTML) for any browser, in one file",
	.states = STATES_CPU,
	.run = run,
};
