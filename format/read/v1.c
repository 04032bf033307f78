/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/read/v1.h"

#define V1_COLUMNS 24

static void move_column(struct column_reader *r, enum column from, enum column to)
{
	r->column[to] = r->column[from];
	r->rice[to] = r->rice[from];
	r->form[to] = r->form[from];
	r->there[to] = r->there[from];
	r->column[from] = cursor_of(NULL, 0);
	r->there[from] = false;
	r->form[from] = FORM_BYTES;
}

void v1_columns(struct column_reader *r)
{
	for (int c = V1_COLUMNS; c < COLUMNS; c++) { /* it had none of these */
		r->column[c] = cursor_of(NULL, 0);
		r->there[c] = false;
		r->form[c] = FORM_BYTES;
	}
	if (!r->there[COLUMN_COPY])
		return;
	move_column(r, COLUMN_SKIP, COLUMN_COPY_SKIP);
	move_column(r, COLUMN_WORD, COLUMN_COPY_WORD);
}
