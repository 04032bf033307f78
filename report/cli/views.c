/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/views.h"

#include <string.h>

const struct view *const views[] = {
	&view_flat,    &view_tree,        &view_peek,    &view_annotate, &view_folded,     &view_stacks,
	&view_dump,    &view_registers,   &view_header,  &view_verify,   &view_flamegraph, &view_svg,
	&view_heatmap, &view_perf_script, &view_pprof,   &view_firefox,  &view_speedscope, &view_callgrind,
	&view_csv,     &view_json,        &view_archive, NULL,
};

static bool ends_in(const char *name, const char *ending)
{
	size_t len = strlen(name), end = strlen(ending);

	return len >= end && strcmp(name + len - end, ending) == 0;
}

const struct view *view_for_output(const char *output)
{
	const size_t most = sizeof(views[0]->endings) / sizeof(views[0]->endings[0]);

	for (size_t i = 0; output && views[i]; i++)
		for (size_t e = 0; e < most && views[i]->endings[e]; e++)
			if (ends_in(output, views[i]->endings[e]))
				return views[i];
	return views[0];
}
