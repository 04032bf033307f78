/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/columns.h"

#include <stdlib.h>

/* --- writing ----------------------------------------------------------------------------------------------------- */

#define V1_COLUMNS 24
#define BODY_MAX (UPF_RAW_MAX - 1024) /* of all columns together */

bool columns_alloc(struct column_writer *w)
{
	w->memory = malloc((size_t)COLUMNS * BODY_MAX);
	for (size_t c = 0; w->memory && c < COLUMNS; c++)
		w->column[c].data = w->memory + c * BODY_MAX;
	return w->memory;
}

void columns_free(struct column_writer *w)
{
	free(w->memory);
}

void columns_reset(struct column_writer *w)
{
	for (int c = 0; c < COLUMNS; c++)
		w->column[c].len = 0;
	w->spare = BODY_MAX;
}

void columns_count_spare(struct column_writer *w)
{
	w->spare = BODY_MAX;
	for (int c = 0; c < COLUMNS; c++)
		w->spare -= w->column[c].len;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* Frames, words and registers must cost a byte each, or a block could make more of them than it has bytes. */
static bool open_form(struct rice *r, uint64_t id, uint64_t form, const uint8_t *at, uint64_t len)
{
	switch (form) {
	case FORM_RICE:
		rice_open(r, at, len);
		return !is_of_bytes(id) && (!is_large(id) || r->k >= RICE_K_LARGE);
	case FORM_RANGE:
		range_open(r, at, len);
		return !is_of_bytes(id) && !is_large(id);
	default:
		return form == FORM_BYTES;
	}
}

/* A register after the other: their lengths, then their values. */
static bool open_split(struct column_reader *r, const uint8_t *at, uint64_t len)
{
	struct cursor c = cursor_of(at, len);
	uint64_t n = get_varint(&c), lengths[UPF_REGS_MAX];

	if (n > UPF_REGS_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++)
		lengths[i] = get_varint(&c);
	for (uint64_t i = 0; i < UPF_REGS_MAX; i++) {
		const uint8_t *values = i < n ? get_bytes(&c, lengths[i]) : NULL;

		r->split[i] = cursor_of(values, values ? lengths[i] : 0);
	}
	return !c.bad && cursor_left(&c) == 0;
}

static bool open_column(struct column_reader *r, uint64_t id, uint64_t form, const uint8_t *at, uint64_t len)
{
	if (id >= COLUMNS) { /* of a later version */
		r->unknown = form & FORM_REQUIRED && !r->unknown ? (uint32_t)id : r->unknown;
		return true;
	}
	form &= ~(uint64_t)FORM_REQUIRED;
	r->there[id] = true;
	r->form[id] = (uint8_t)form;
	r->column[id] = cursor_of(at, form == FORM_BYTES ? len : 0);
	if (form == FORM_SPLIT)
		return id == COLUMN_REG && open_split(r, at, len);
	return open_form(&r->rice[id], id, form, at, len) && !r->rice[id].bad;
}

/* Version 1 had only the first columns, and copies' columns under the ids of windows: see v1_id(). */
static bool is_of_v1(uint64_t c)
{
	return c < V1_COLUMNS || c == COLUMN_COPY_SKIP || c == COLUMN_COPY_WORD;
}

static void clear(struct column_reader *r, bool v1)
{
	memset(r->there, 0, sizeof(r->there));
	r->bad = false;
	r->unknown = 0;
	for (uint64_t c = 0; c < COLUMNS; c++) {
		r->column[c] = cursor_of(NULL, 0);
		r->form[c] = may_be_left_out(c) && !(v1 && is_of_v1(c)) ? FORM_RANGE : FORM_BYTES;
		r->rice[c] = (struct rice){.limit = 1};
	}
}

/* The id here of a column of version 1. COLUMNS: there is none. */
static uint64_t v1_id(uint64_t id, bool copies)
{
	if (copies && id == COLUMN_SKIP)
		return COLUMN_COPY_SKIP;
	if (copies && id == COLUMN_WORD)
		return COLUMN_COPY_WORD;
	return id < V1_COLUMNS ? id : COLUMNS;
}

bool columns_get(struct column_reader *r, struct cursor *c, bool v1)
{
	uint64_t n = get_varint(c);
	struct {
		uint64_t id, form, len;
	} found[COLUMNS_MAX];
	bool copies = false;

	clear(r, v1);
	if (c->bad || n > sizeof(found) / sizeof(*found))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		found[i].id = get_varint(c);
		found[i].form = get_varint(c);
		found[i].len = get_varint(c);
		if (i && found[i].id <= found[i - 1].id)
			return false;
		copies |= found[i].id == COLUMN_COPY;
	}
	for (uint64_t i = 0; i < n && !c->bad; i++) {
		const uint8_t *at = get_bytes(c, found[i].len);

		if (at &&
		    !open_column(r, v1 ? v1_id(found[i].id, copies) : found[i].id, found[i].form, at, found[i].len))
			return false;
	}
	return !c->bad && cursor_left(c) == 0;
}
