/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table_columns.h - the columns in front of a function's name, the same in all tables. Shares have colours if @out
 * has.
 */
#ifndef REPORT_VIEW_TABLE_COLUMNS_H
#define REPORT_VIEW_TABLE_COLUMNS_H

#include "report/fold/fold.h"
#include "report/output/text.h"

/* Their widths, without the space between them. */
#define COLUMN_SHARE 6
#define COLUMN_WEIGHT 12
#define COLUMN_POINTS 7
#define COLUMN_ERROR 7
#define COLUMN_MARK 5

/* Does a terminal have room for a name, or for what matters of it, behind so many columns? */
static inline bool columns_fit(const struct text_out *out, int used)
{
	return out->width == 0 || out->width >= used + 16;
}

/* 12.3%; large ones stand out. */
void column_share(const struct text_out *out, double share);
/* 1,234 samples, or 1.2 s of CPU time. */
void column_weight(const struct text_out *out, enum unit unit, uint64_t weight);
const char *column_weight_title(enum unit unit);
/*
 * A comparison: both shares, the change in percentage points and its +-, the change of the weight with the old run
 * normalised, and a mark: "new", "gone", and "~" if the change may be chance alone. On a narrow terminal the new share,
 * the change and "~". Both return how many columns they take.
 */
int columns_change(const struct text_out *out, const struct fold *fold, const uint64_t weight[FOLD_RUNS]);
int columns_change_head(const struct text_out *out, enum unit unit);

#endif
