/* SPDX-License-Identifier: BSD-2-Clause */
/* view_flamegraph.c - the flame graph, as a page. */
#include "report/page/page.h"

static int write_page(struct report *r, const struct fold *fold, const struct flame *flame)
{
	return page_write(r, fold, flame, NULL);
}

static int run(struct report *r)
{
	return page_flame(r, write_page);
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.help = "a flame graph: a page (HTML) for any browser, in one file",
	.states = STATES_CPU,
	.takes = VIEW_COMPARES,
	.run = run,
};
