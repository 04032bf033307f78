/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table_columns.h - the columns before a function's name, alike in all tables. Shares are coloured where r->color is
 * set.
 */
#ifndef REPORT_VIEW_TABLE_COLUMNS_H
#define REPORT_VIEW_TABLE_COLUMNS_H

#include "report/view/view.h"

/* Their widths, without what is between them. */
#define COLUMN_SHARE 6
#define COLUMN_WEIGHT 12
#define COLUMN_POINTS 7
#define COLUMN_MARK 4

/* 12.3%; dear ones stand out. */
void column_share(const struct report *r, double share);
/* 1,234 samples, or 1.2 s of CPU time. */
void column_weight(const struct report *r, uint64_t weight);
const char *column_weight_title(const struct report *r);
/* +1.23: percentage points, from the @old share to the new one. */
void column_points(const struct report *r, double old, double share);
/* +123: what the new run has more than it should by @normal, which is what the old one had, normalised. */
void column_change(const struct report *r, uint64_t normal, uint64_t weight);
/* "new", "gone" or nothing. */
void column_mark(const struct report *r, uint64_t old, uint64_t weight);

/* The least share that tables show: --percent-limit, or @otherwise percent. */
double column_limit(const struct report *r, double otherwise);

#endif
