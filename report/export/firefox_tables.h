/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_tables.h - a profile for Firefox Profiler while it is made: firefox.c loads it, and has its tables written.
 */
#ifndef REPORT_EXPORT_FIREFOX_TABLES_H
#define REPORT_EXPORT_FIREFOX_TABLES_H

#include "report/export/frame_table.h"
#include "common/string_table.h"
#include "report/export/timeline.h"
#include "report/output/json_writer.h"
#include "report/profile/calltree.h"
#include "report/view/view.h"

/* Of stacks, by their place in the file's head. */
enum firefox_category { CATEGORY_OTHER, CATEGORY_KERNEL, CATEGORY_USER };

enum firefox_marker { MARKER_LOST, MARKER_LATE, MARKER_DOMAIN, FIREFOX_MARKERS };
extern const char *const firefox_markers[FIREFOX_MARKERS]; /* their names, of the schemas too */

struct marker {
	uint64_t time_ns, count;
	uint32_t domain;
	uint8_t kind, code; /* of the record */
};

struct firefox {
	const struct report *report;
	struct json json;
	struct timeline timeline;
	struct marker *markers;
	size_t nmarkers, markers_cap, next_marker;

	struct frame_table table;
	uint8_t *modes; /* by frame */
	size_t modes_cap;
	struct calltree stacks; /* of frames' numbers instead of addresses */
	uint32_t *leaves;       /* by node of the profile's tree, twice: in the kernel and in user mode */

	struct strings strings, files;
	uint32_t *names;     /* by function of the table: the string */
	uint32_t *sources;   /* the same: the file, if it has one */
	uint32_t *filenames; /* by file: the string */
};

/* The file's times are milliseconds. */
static inline double firefox_ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* Makes the tables of what was loaded. 0 or -ENOMEM. */
int firefox_make_tables(struct firefox *f);
/* Writes what all threads share: the tables. */
void firefox_put_shared(struct firefox *f);
/* Writes a vCPU: its samples and markers. The vCPUs must come in the order of the timeline. 0 or a negative errno. */
int firefox_put_thread(struct firefox *f, const struct timeline_vcpu *v);

#endif
