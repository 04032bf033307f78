/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/views.h"

#include <string.h>

const struct view *const views[] = {
	&view_flat,      &view_tree,      &view_peek,        &view_annotate, &view_folded,  &view_stacks,
	&view_dump,      &view_registers, &view_last,        &view_header,   &view_verify,  &view_flamegraph,
	&view_svg,       &view_heatmap,   &view_perf_script, &view_pprof,    &view_firefox, &view_speedscope,
	&view_callgrind, &view_csv,       &view_json,        &view_archive,  &view_top,     NULL,
};

/* Does @name without what is after its first @len bytes end in @ending? */
static bool ends_in(const char *name, size_t len, const char *ending)
{
	size_t end = strlen(ending);

	return len >= end && memcmp(name + len - end, ending, end) == 0;
}

/* Has the file of this name, of @len bytes, an ending? */
static bool has_ending(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len), *dot = memrchr(name, '.', len);

	return dot && dot > (slash ? slash + 1 : name);
}

const struct view *view_for_output(const char *output)
{
	const size_t most = sizeof(views[0]->endings) / sizeof(views[0]->endings[0]);
	const size_t len = output ? strlen(output) : 0;
	const size_t plain = output && ends_in(output, len, ".gz") ? len - strlen(".gz") : len;

	for (size_t i = 0; output && views[i]; i++)
		for (size_t e = 0; e < most && views[i]->endings[e]; e++)
			if (ends_in(output, len, views[i]->endings[e]) || ends_in(output, plain, views[i]->endings[e]))
				return views[i];
	return output && has_ending(output, plain) ? NULL : views[0];
}
