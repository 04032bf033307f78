/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table_columns.h - the columns in front of a function's name, the same in all tables. Shares have colours if @out
 * has.
 */
#ifndef REPORT_VIEW_TABLE_COLUMNS_H
#define REPORT_VIEW_TABLE_COLUMNS_H

#include "report/input/selection.h"
#include "report/output/text.h"

/* Their widths, without the space between them. */
#define COLUMN_SHARE 6
#define COLUMN_WEIGHT 12
#define COLUMN_POINTS 7
#define COLUMN_MARK 4

/* 12.3%; large ones stand out. */
void column_share(const struct text_out *out, double share);
/* 1,234 samples, or 1.2 s of CPU time. */
void column_weight(const struct text_out *out, enum unit unit, uint64_t weight);
const char *column_weight_title(enum unit unit);
/* +1.23: percentage points, from the @old share to the new one. */
void column_points(const struct text_out *out, double old, double share);
/* +123: what the new run has more than it should by @normal, which is what the old one had, normalised. */
void column_change(const struct text_out *out, enum unit unit, uint64_t normal, uint64_t weight);
/* "new", "gone" or nothing. */
void column_mark(const struct text_out *out, uint64_t old, uint64_t weight);

#endif
