/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * csv.c - the flat profile as comma-separated values (RFC 4180): a line of headings, then one line per row. Numbers
 * are plain, texts are quoted.
 */
#include "report/view/table_columns.h"
#include "report/export/export_stacks.h"
#include "report/view/view.h"

#include <inttypes.h>

struct csv {
	const struct report *report;
	const struct fold *fold; /* what shares are of */
	struct table table;
};

static void put_csv_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_headings(const struct csv *c)
{
	FILE *out = c->report->out.file;

	for (unsigned i = 0; i < c->table.keys.n; i++)
		fprintf(out, "%s,", key_heading(c->table.keys.key[i]));
	fputs("self,self_percent,total,total_percent,self_error,total_error", out);
	if (c->fold->compared)
		fputs(",old_self,old_self_percent,old_total,old_total_percent,self_change_error,total_change_error",
		      out);
	fputs("\r\n", out);
}

static void put_csv_weights(const struct csv *c, const struct fold_weights *w, enum fold_run run)
{
	fprintf(c->report->out.file, "%" PRIu64 ",%.4f,%" PRIu64 ",%.4f", w->self[run],
	        100 * fold_share_of(c->fold, run, w->self[run]), w->total[run],
	        100 * fold_share_of(c->fold, run, w->total[run]));
}

/* Of a row's own share and of that with what it called, in percentage points. */
static void put_errors(const struct csv *c, double self, double total)
{
	fprintf(c->report->out.file, ",%.4f,%.4f", 100 * self, 100 * total);
}

static void put_row(const struct csv *c, const struct table_row *row)
{
	const struct fold *fold = c->fold;
	FILE *out = c->report->out.file;

	for (unsigned i = 0; i < c->table.keys.n; i++) {
		put_csv_text(out, table_text(&c->report->run->names, row, i));
		fputc(',', out);
	}
	put_csv_weights(c, &row->w, FOLD_NEW);
	put_errors(c, fold_error(fold, row->w.self[FOLD_NEW]), fold_error(fold, row->w.total[FOLD_NEW]));
	if (fold->compared) {
		fputc(',', out);
		put_csv_weights(c, &row->w, FOLD_OLD);
		put_errors(c, fold_change_error(fold, row->w.self), fold_change_error(fold, row->w.total));
	}
	fputs("\r\n", out);
}

static int put_csv_table(const struct report *r, struct fold *fold)
{
	const struct fold_request request = view_request(r);
	const struct keys keys = view_keys(r);
	const struct table_order order = {.by_total = r->options->children == CHILDREN_FIRST};
	double limit = view_limit(r->options, 0);
	struct csv c = {.report = r, .fold = fold};
	int rc = table_make(&c.table, &keys, &request);

	if (rc != 0)
		return rc;
	rc = table_sort(&c.table, &r->run->names, &order);
	if (rc == 0)
		put_headings(&c);
	for (size_t i = 0; rc == 0 && i < view_rows(r->options, c.table.n); i++)
		if (fold_reaches(fold, table_weights(&c.table.rows[i], order.by_total), limit))
			put_row(&c, &c.table.rows[i]);
	table_free(&c.table);
	return view_exported(r, rc);
}

const struct view view_csv = {
	.name = "csv",
	.help = "the flat profile as comma-separated values",
	.endings = {".csv"},
	.states = STATES_CPU,
	.takes = VIEW_COMPARES | VIEW_KEYS | VIEW_LIMITS | VIEW_GROUPS | VIEW_NOISE,
	.write = put_csv_table,
};
