/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/cli/views.h"

const struct view *const views[] = {
	&view_flat,        &view_tree,    &view_peek,    &view_annotate,   &view_folded,    &view_stacks,
	&view_dump,        &view_header,  &view_verify,  &view_flamegraph, &view_svg,       &view_heatmap,
	&view_perf_script, &view_pprof,   &view_firefox, &view_speedscope, &view_callgrind, &view_csv,
	&view_json,        &view_archive, NULL,
};
