/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/view/listing.h"
#include "report/view/table_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define COLUMN_PLACE 16 /* a line's number or an address */
#define WIDTH_WEIGHTS (2 * (COLUMN_SHARE + 1) + COLUMN_WEIGHT)

int listing_add(struct listing *l, uint64_t place, char *text)
{
	int rc = text ? array_add(l->of, l->cap, l->n, (struct listed){.place = place, .text = text}) : -ENOMEM;

	if (rc != 0)
		free(text);
	return rc;
}

void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->of[i].text);
	free(l->of);
	*l = (struct listing){0};
}

/* --- printing ---------------------------------------------------------------------------------------------------- */

void listing_head(const struct text_out *out, enum unit unit, const char *place, const char *text)
{
	fprintf(out->file, "%6s %6s %12s  %*s  %s\n", "Total", "Self", column_weight_title(unit), COLUMN_PLACE, place,
	        text);
}

static void print_listed_weights(const struct listed *line, const struct text_out *out, const struct fold *fold)
{
	if (line->total == 0) {
		fprintf(out->file, "%*s", WIDTH_WEIGHTS, "");
		return;
	}
	column_share(out, fold_share(fold, line->total));
	fputc(' ', out->file);
	column_share(out, fold_share(fold, line->self));
	fputc(' ', out->file);
	column_weight(out, fold->unit, line->total);
}

static void print_listed(const struct listed *line, const struct text_out *out, const struct fold *fold, bool is_code)
{
	print_listed_weights(line, out, fold);
	if (is_code)
		fprintf(out->file, "  %*" PRIx64, COLUMN_PLACE, line->place);
	else if (line->place)
		fprintf(out->file, "  %*" PRIu64, COLUMN_PLACE, line->place);
	else
		fprintf(out->file, "  %*s", COLUMN_PLACE, "?");
	if (*line->text) {
		fputs("  ", out->file);
		text_name(out->file, line->text, text_room(out->width, WIDTH_WEIGHTS + 2 + COLUMN_PLACE + 2),
		          out->utf8);
	}
	fputc('\n', out->file);
}

void listing_print(const struct listing *l, const struct text_out *out, const struct fold *fold, bool is_code)
{
	for (size_t i = 0; i < l->n; i++) {
		if (i > 0 && !is_code && l->of[i].place != l->of[i - 1].place + 1)
			fprintf(out->file, "%*s\n", WIDTH_WEIGHTS + 2 + COLUMN_PLACE, "...");
		print_listed(&l->of[i], out, fold, is_code);
	}
}
