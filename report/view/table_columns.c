/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/table_columns.h"

#define MIN_RED 0.05 /* perf's limits for its colours */
#define MIN_GREEN 0.005

#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static void colored(const struct text_out *out, const char *color, int width, const char *text)
{
	bool on = out->color && color;

	fprintf(out->file, "%s%*s%s", on ? color : "", width, text, on ? PLAIN : "");
}

void column_share(const struct text_out *out, double share)
{
	char text[16];

	snprintf(text, sizeof(text), "%.1f%%", 100 * share);
	colored(out, share >= MIN_RED ? RED : share >= MIN_GREEN ? GREEN : NULL, COLUMN_SHARE, text);
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

void column_points(const struct text_out *out, double old, double share)
{
	double points = 100 * (share - old);
	char text[16];

	snprintf(text, sizeof(text), "%+.2f", points > -0.005 && points < 0.005 ? 0 : points);
	colored(out, points >= 0.5 ? RED : points <= -0.5 ? GREEN : NULL, COLUMN_POINTS, text);
}

void column_change(const struct text_out *out, enum unit unit, uint64_t normal, uint64_t weight)
{
	uint64_t change = weight >= normal ? weight - normal : normal - weight;
	char text[48];

	snprintf(text, sizeof(text), "%s%s", change == 0 ? "" : weight > normal ? "+" : "-", amount(unit, change).s);
	fprintf(out->file, "%*s", COLUMN_WEIGHT, text);
}

void column_mark(const struct text_out *out, uint64_t old, uint64_t weight)
{
	fprintf(out->file, "%-*s", COLUMN_MARK, old == 0 && weight ? "new" : old && weight == 0 ? "gone" : "");
}
