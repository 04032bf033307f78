/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/table_columns.h"

#include <math.h>
#include <string.h>

#define MIN_RED 0.05 /* perf's limits for its colours */
#define MIN_GREEN 0.005

#define RED "\033[31m"
#define GREEN "\033[32m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static void colored(const struct text_out *out, const char *color, int width, const char *text)
{
	bool on = out->color && color;

	fprintf(out->file, "%s%*s%s", on ? color : "", width, text, on ? PLAIN : "");
}

static void share_in(const struct text_out *out, double share, const char *color)
{
	char text[16];

	snprintf(text, sizeof(text), "%.1f%%", 100 * share);
	colored(out, color, COLUMN_SHARE, text);
}

void column_share(const struct text_out *out, double share)
{
	share_in(out, share, share >= MIN_RED ? RED : share >= MIN_GREEN ? GREEN : NULL);
}

static struct text amount(enum unit unit, uint64_t weight)
{
	return unit == UNIT_TIME || unit == UNIT_CPU ? text_time(weight) : text_count(weight);
}

void column_weight(const struct text_out *out, enum unit unit, uint64_t weight)
{
	fprintf(out->file, "%*s", COLUMN_WEIGHT, amount(unit, weight).s);
}

const char *column_weight_title(enum unit unit)
{
	static const char *const titles[] = {"samples", "periods", "time", "CPU time"};

	return titles[unit];
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

/* +1.23: chance alone is dim. */
static void column_points(const struct text_out *out, double points, bool noise)
{
	char text[16];

	snprintf(text, sizeof(text), "%+.2f", points > -0.005 && points < 0.005 ? 0 : points);
	colored(out, noise ? DIM : points >= 0.5 ? RED : points <= -0.5 ? GREEN : NULL, COLUMN_POINTS, text);
}

static void column_error(const struct text_out *out, double points)
{
	char text[16];

	snprintf(text, sizeof(text), "%.2f", points);
	fprintf(out->file, "%*s%s%s", COLUMN_ERROR - (out->utf8 ? 1 : 2) - (int)strlen(text), "",
	        out->utf8 ? "\u00b1" : "+-", text);
}

/* +123: what the new run has more than it should by @normal, which is what the old one had, normalised. */
static void column_change(const struct text_out *out, enum unit unit, uint64_t normal, uint64_t weight)
{
	uint64_t change = weight >= normal ? weight - normal : normal - weight;
	char text[48];

	snprintf(text, sizeof(text), "%s%s", change == 0 ? "" : weight > normal ? "+" : "-", amount(unit, change).s);
	fprintf(out->file, "%*s", COLUMN_WEIGHT, text);
}

/* All of them, and the space behind. */
#define CHANGE_WIDTH \
	(2 * (COLUMN_SHARE + 1) + COLUMN_POINTS + 1 + COLUMN_ERROR + 1 + COLUMN_WEIGHT + 2 + COLUMN_MARK + 2)

int columns_change(const struct text_out *out, const struct fold *fold, const uint64_t weight[FOLD_RUNS])
{
	uint64_t old = weight[FOLD_OLD], now = weight[FOLD_NEW];
	double change = fold_change(fold, weight), error = fold_change_error(fold, weight);
	bool noise = fabs(change) <= error, all = columns_fit(out, CHANGE_WIDTH);

	if (all) {
		share_in(out, fold_share_of(fold, FOLD_OLD, old), noise ? DIM : NULL);
		fputc(' ', out->file);
	}
	share_in(out, fold_share(fold, now), noise ? DIM : NULL);
	fputc(' ', out->file);
	column_points(out, 100 * change, noise);
	fputc(' ', out->file);
	if (!all)
		return COLUMN_SHARE + 1 + COLUMN_POINTS + 1 + fprintf(out->file, "%s ", noise ? "~" : " ");
	column_error(out, 100 * error);
	fputc(' ', out->file);
	column_change(out, fold->unit, fold_normal(fold, old), now);
	fprintf(out->file, "  %s%-*s  ", noise ? "~" : "", COLUMN_MARK - noise,
	        old == 0 && now   ? "new"
	        : old && now == 0 ? "gone"
	                          : "");
	return CHANGE_WIDTH;
}

int columns_change_head(const struct text_out *out, enum unit unit)
{
	if (!columns_fit(out, CHANGE_WIDTH))
		return fprintf(out->file, "%*s %*s   ", COLUMN_SHARE, "New", COLUMN_POINTS, "points");
	fprintf(out->file, "%*s %*s %*s %*s%s %*s  %*s  ", COLUMN_SHARE, "Old", COLUMN_SHARE, "New", COLUMN_POINTS,
	        "points", COLUMN_ERROR - (out->utf8 ? 1 : 2), "", out->utf8 ? "\u00b1" : "+-", COLUMN_WEIGHT,
	        column_weight_title(unit), COLUMN_MARK, "");
	return CHANGE_WIDTH;
}
