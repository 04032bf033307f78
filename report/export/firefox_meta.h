/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_meta.h - the head of Firefox Profiler's file: versions, and the categories and markers that the rest refers
 * to by number.
 */
#ifndef REPORT_EXPORT_FIREFOX_META_H
#define REPORT_EXPORT_FIREFOX_META_H

#include "report/output/json_writer.h"
#include "report/input/traces.h"

/* Of stacks, by their place in the head. */
enum firefox_category { CATEGORY_OTHER, CATEGORY_KERNEL, CATEGORY_USER };

enum firefox_marker { MARKER_LOST, MARKER_LATE, MARKER_DOMAIN, FIREFOX_MARKERS };
extern const char *const firefox_markers[FIREFOX_MARKERS]; /* their names, of the schemas too */

/* Its times are milliseconds. */
static inline double firefox_ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* "meta" of the outermost object, of traces that were loaded. */
void firefox_meta(struct json *j, const struct traces *traces);

#endif
