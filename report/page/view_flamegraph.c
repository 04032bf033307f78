/* SPDX-License-Identifier: BSD-2-Clause */
/* view_flamegraph.c - the flame graph, as a page. */
#include "report/page/page.h"

static int write_flamegraph(const struct report *r, struct fold *fold)
{
	int rc = page_write(r, fold, NULL);

	if (rc == 0)
		view_end(r, fold, fold->samples);
	return rc;
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.help = "flame graph, as one HTML file for any browser",
	.endings = {".html"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_GROUPS | VIEW_FILE,
	.write = write_flamegraph,
	.page = true,
};
