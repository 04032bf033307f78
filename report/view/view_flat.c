/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_flat.c - the flat profile: one line per function, or per set of --sort keys, with its own time (Self) and the
 * time including what it called (Total). In a comparison: the change of the shares, largest first.
 */
#include "report/fold/table.h"
#include "report/output/text.h"
#include "report/view/table_columns.h"
#include "report/view/view.h"

#define KEY_WIDTH_MAX 40
#define KEY_WIDTH_MIN 4 /* however narrow the terminal is */
#define WEIGHTS_WIDTH (COLUMN_SHARE + 1 + COLUMN_WEIGHT + 2)

struct flat {
	const struct report *r;
	const struct fold *fold; /* what shares are of */
	struct table table;
	bool totals; /* there are callers and callees, so Total differs from Self */
	bool by_total;
	bool amounts;    /* there is room for more than shares */
	int width[KEYS]; /* of the columns of keys; of the last one 0: it takes what the terminal has left */
};

/* --- lines ------------------------------------------------------------------------------------------------------- */

static int width_of(const struct flat *f, unsigned column)
{
	int width = text_columns(key_title(f->table.keys.key[column]));

	for (size_t i = 0; i < f->table.n; i++) {
		int columns = text_columns(table_text(&f->r->run->names, &f->table.rows[i], column));

		width = columns > width ? columns : width;
	}
	return width < KEY_WIDTH_MAX ? width : KEY_WIDTH_MAX;
}

/* Takes from the widest columns, until all of them fit in @room or none can be narrower. */
static void fit(struct flat *f, int room)
{
	unsigned n = f->table.keys.n, widest = 0;

	for (;; f->width[widest]--) {
		int sum = 2 * ((int)n - 1);

		for (unsigned k = 0; k < n; k++) {
			sum += f->width[k];
			if (f->width[k] > f->width[widest])
				widest = k;
		}
		if (sum <= room || f->width[widest] <= KEY_WIDTH_MIN)
			return;
	}
}

/* For a table whose columns in front of the keys are @weights wide. */
static void measure_columns(struct flat *f, int weights)
{
	unsigned n = f->table.keys.n;

	for (unsigned k = 0; k < n; k++)
		f->width[k] = width_of(f, k);
	if (f->r->out.width)
		fit(f, f->r->out.width - weights);
	f->width[n - 1] = 0;
}

/* Of a path, the end says most. */
static void print_key_text(const struct report *r, enum key key, const char *text, int columns)
{
	if (key == KEY_LINE || key == KEY_IMAGE)
		text_path(r->out.file, text, columns, r->out.utf8);
	else
		text_name(r->out.file, text, columns, r->out.utf8);
}

static void print_key(const struct flat *f, unsigned column, const char *text, int *used)
{
	const struct report *r = f->r;
	int width = f->width[column], n = text_columns(text);

	print_key_text(r, f->table.keys.key[column], text, width ? width : text_room(r->out.width, *used));
	if (width)
		fprintf(r->out.file, "%*s", (n < width ? width - n : 0) + 2, "");
	*used += width + 2;
}

static int print_row_weights(const struct flat *f, uint64_t weight)
{
	column_share(&f->r->out, fold_share(f->fold, weight));
	if (f->amounts) {
		fputc(' ', f->r->out.file);
		column_weight(&f->r->out, f->fold->unit, weight);
	}
	return COLUMN_SHARE + (f->amounts ? 1 + COLUMN_WEIGHT : 0) + fprintf(f->r->out.file, "  ");
}

static void print_row(const struct flat *f, const struct table_row *row)
{
	int used;

	if (f->fold->compared)
		used = columns_change(&f->r->out, f->fold, table_weights(row, f->by_total));
	else
		used = print_row_weights(f, row->w.self[FOLD_NEW]);
	if (!f->fold->compared && f->totals)
		used += print_row_weights(f, row->w.total[FOLD_NEW]);
	for (unsigned k = 0; k < f->table.keys.n; k++)
		print_key(f, k, table_text(&f->r->run->names, row, k), &used);
	fputc('\n', f->r->out.file);
}

static int print_weights_head(const struct flat *f, const char *title)
{
	FILE *out = f->r->out.file;

	return fprintf(out, f->amounts ? "%6s %12s  " : "%6s  ", title, column_weight_title(f->fold->unit));
}

/* Without all amounts, if these would leave little room for names. */
static void print_flat_head(struct flat *f)
{
	const struct report *r = f->r;
	int used, keys = (KEY_WIDTH_MIN + 2) * ((int)f->table.keys.n - 1);

	f->amounts = columns_fit(&r->out, (f->totals ? 2 : 1) * WEIGHTS_WIDTH + keys);
	used = f->fold->compared ? columns_change_head(&r->out, f->fold->unit) : print_weights_head(f, "Self");
	if (!f->fold->compared && f->totals)
		used += print_weights_head(f, "Total");
	measure_columns(f, used);
	for (unsigned k = 0; k < f->table.keys.n; k++)
		print_key(f, k, key_title(f->table.keys.key[k]), &used);
	fputc('\n', r->out.file);
}

/* The limit is of the column that rows are sorted by, as in perf. */
static void print_rows(struct flat *f)
{
	double limit = view_limit(f->r->options, 0);
	size_t hidden = 0, rows = view_rows(f->r->options, f->table.n);

	print_flat_head(f);
	for (size_t i = 0; i < rows; i++) {
		if (fold_reaches(f->fold, table_weights(&f->table.rows[i], f->by_total), limit))
			print_row(f, &f->table.rows[i]);
		else
			hidden++;
	}
	if (hidden)
		fprintf(f->r->out.file, "(%s line%s below %g%% not shown)\n", text_count(hidden).s,
		        hidden == 1 ? "" : "s", f->r->options->percent_limit);
	if (rows < f->table.n)
		fprintf(f->r->out.file, "(%s more line%s not shown)\n", text_count(f->table.n - rows).s,
		        f->table.n - rows == 1 ? "" : "s");
}

/* --- the view ---------------------------------------------------------------------------------------------------- */

static int print_table(const struct report *r, struct fold *fold, struct view_result *found)
{
	const struct fold_request request = view_request(r);
	struct keys keys = view_keys(r);
	struct flat f = {.r = r, .fold = fold};
	struct table_order order;
	int rc;

	keys.merge_nameless = !keys_has(&keys, KEY_ADDRESS);
	rc = table_make(&f.table, &keys, &request);
	(void)found;
	if (rc != 0)
		return rc;
	f.totals = r->options->children != CHILDREN_NO && keys_of_frames(&keys);
	f.by_total = f.totals && r->options->children == CHILDREN_FIRST;
	order = (struct table_order){.changes = fold->compared ? fold : NULL, .by_total = f.by_total};
	rc = table_sort(&f.table, &r->run->names, &order);
	if (rc == 0)
		print_rows(&f);
	table_free(&f.table);
	return rc;
}

const struct view view_flat = {
	.name = "flat",
	.help = "functions by their own time (default)",
	.endings = {".txt", ".out"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_KEYS | VIEW_LIMITS | VIEW_GROUPS,
	.table = print_table,
};
