/* SPDX-License-Identifier: BSD-2-Clause */
/* view_flamegraph.c - the flame graph, as a page. */
#include "report/page/flame_view.h"
#include "report/page/page.h"

static int write_page(const struct report *r, const struct fold *fold, const struct flame *flame)
{
	const struct page_content content = {.run = r->run,
	                                     .old = r->old,
	                                     .selection = r->selection,
	                                     .fold = fold,
	                                     .flame = flame,
	                                     .quiet = r->options->quiet};

	return page_write(&content, r->out.file);
}

static int run(const struct report *r, struct view_result *found)
{
	(void)found;
	return flame_view_run(r, write_page);
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.help = "flame graph, as one HTML file for any browser",
	.endings = {".html"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_GROUPS | VIEW_FILE,
	.run = run,
};
