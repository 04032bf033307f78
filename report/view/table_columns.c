/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/table_columns.h"
#include "report/output/text.h"

#define DEAR 0.05 /* perf's limits for its colours */
#define CHEAP 0.005

#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static void colored(const struct report *r, const char *color, int width, const char *text)
{
	bool on = r->color && color;

	fprintf(r->out, "%s%*s%s", on ? color : "", width, text, on ? PLAIN : "");
}

void column_share(const struct report *r, double share)
{
	char text[16];

	snprintf(text, sizeof(text), "%.1f%%", 100 * share);
	colored(r, share >= DEAR ? RED : share >= CHEAP ? GREEN : NULL, COLUMN_SHARE, text);
}

void column_weight(const struct report *r, uint64_t weight)
{
	bool cpu = r->selection->weight == WEIGHT_CPU;

	fprintf(r->out, "%*s", COLUMN_WEIGHT, cpu ? text_time(weight).s : text_count(weight).s);
}

const char *column_weight_title(const struct report *r)
{
	return r->selection->weight == WEIGHT_CPU ? "CPU time" : "samples";
}

void column_points(const struct report *r, double old, double share)
{
	double points = 100 * (share - old);
	char text[16];

	snprintf(text, sizeof(text), "%+.2f", points > -0.005 && points < 0.005 ? 0 : points);
	colored(r, points >= 0.5 ? RED : points <= -0.5 ? GREEN : NULL, COLUMN_POINTS, text);
}

void column_change(const struct report *r, uint64_t normal, uint64_t weight)
{
	uint64_t change = weight >= normal ? weight - normal : normal - weight;
	char text[48];

	snprintf(text, sizeof(text), "%s%s",
	         change == 0       ? ""
	         : weight > normal ? "+"
	                           : "-",
	         r->selection->weight == WEIGHT_CPU ? text_time(change).s : text_count(change).s);
	fprintf(r->out, "%*s", COLUMN_WEIGHT, text);
}

void column_mark(const struct report *r, uint64_t old, uint64_t weight)
{
	fprintf(r->out, "%-*s", COLUMN_MARK, old == 0 && weight ? "new" : old && weight == 0 ? "gone" : "");
}

double column_limit(const struct report *r, double otherwise)
{
	return (r->percent_limit >= 0 ? r->percent_limit : otherwise) / 100;
}
