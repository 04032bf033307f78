/* SPDX-License-Identifier: BSD-2-Clause */
/* views.h - every view, as the command line names it. */
#ifndef REPORT_CLI_VIEWS_H
#define REPORT_CLI_VIEWS_H

#include "report/view/view.h"

extern const struct view *const views[]; /* the first is the default; ends with NULL */
/*
 * The view that a file of this name is meant to hold: the default if it has no ending. NULL: none is known for its
 * ending. @output NULL: standard output.
 */
const struct view *view_for_output(const char *output);

extern const struct view view_top, view_flat, view_tree, view_peek, view_annotate, view_folded, view_stacks;
extern const struct view view_dump, view_registers, view_last, view_header, view_verify;
extern const struct view view_flamegraph, view_svg, view_heatmap;                     /* report/page/ */
extern const struct view view_perf_script, view_pprof, view_firefox, view_speedscope; /* report/export/ */
extern const struct view view_callgrind, view_csv, view_json, view_archive;

#endif
