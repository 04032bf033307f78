/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/samples/columns.h"

#include <stdlib.h>

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* Room for each column, and for all of them together. */
#define BODY_MAX (UPF_RAW_MAX - 1024)
static const size_t capacity[COLUMNS] = {
	[COLUMN_KIND] = 64 << 10,   [COLUMN_DOMAIN] = 64 << 10, [COLUMN_TIME] = 96 << 10,  [COLUMN_PAUSE] = 64 << 10,
	[COLUMN_VCPU] = 64 << 10,   [COLUMN_STATE] = 64 << 10,  [COLUMN_CPU] = 112 << 10,  [COLUMN_STACK] = 48 << 10,
	[COLUMN_PARENT] = 48 << 10, [COLUMN_FRAME] = 256 << 10, [COLUMN_COUNT] = 16 << 10, [COLUMN_CODE] = 8 << 10,
	[COLUMN_PUSH] = 32 << 10,   [COLUMN_REST] = 48 << 10,   [COLUMN_MORE] = 64 << 10,  [COLUMN_ROOT] = 64 << 10,
	[COLUMN_RUN] = 48 << 10,    [COLUMN_BRANCH] = 48 << 10, [COLUMN_STEP] = 96 << 10,  [COLUMN_LATE] = 96 << 10,
	[COLUMN_LEAF] = 128 << 10,  [COLUMN_SPACE] = 96 << 10,  [COLUMN_LINK] = 96 << 10,  [COLUMN_REGS] = 64 << 10,
	[COLUMN_REG] = 384 << 10,   [COLUMN_EXT] = 288 << 10,
};
static const size_t window_capacity[COLUMNS] = {
	[COLUMN_TOP] = 64 << 10,  [COLUMN_SP] = 96 << 10,   [COLUMN_FP] = 64 << 10,
	[COLUMN_SIZE] = 32 << 10, [COLUMN_SKIP] = 96 << 10, [COLUMN_WORD] = 224 << 10,
};
static const size_t copy_capacity[COLUMNS] = {
	[COLUMN_COPY] = 48 << 10,
	[COLUMN_COPY_SKIP] = 160 << 10,
	[COLUMN_COPY_WORD] = 704 << 10,
};

static size_t column_capacity(enum upf_tops tops, int c)
{
	bool windows = tops == UPF_TOPS_WINDOW || tops == UPF_TOPS_MIXED;
	bool copies = tops == UPF_TOPS_COPY || tops == UPF_TOPS_MIXED;

	if (c == COLUMN_TOPS)
		return tops == UPF_TOPS_MIXED ? 64 << 10 : 0;
	return capacity[c] + (windows ? window_capacity[c] : 0) + (copies ? copy_capacity[c] : 0);
}

bool columns_alloc(struct column_writer *w, enum upf_tops tops)
{
	for (int c = 0; c < COLUMNS; c++) {
		struct column_buffer *column = &w->column[c];

		column->room = column_capacity(tops, c);
		if (column->room && !(column->data = malloc(column->room)))
			return false;
	}
	return true;
}

void columns_free(struct column_writer *w)
{
	for (int c = 0; c < COLUMNS; c++)
		free(w->column[c].data);
}

void columns_reset(struct column_writer *w)
{
	for (int c = 0; c < COLUMNS; c++)
		w->column[c].len = 0;
	w->spare = 0;
}

bool columns_fit(struct column_writer *w, const size_t *need)
{
	size_t sum = 0, least = BODY_MAX;

	for (int c = 0; c < COLUMNS; c++) {
		size_t room = column_room(w, c);

		if (need[c] > room)
			return false;
		if (w->column[c].room && room - need[c] < least)
			least = room - need[c];
		sum += need[c] + w->column[c].len;
	}
	if (sum > BODY_MAX)
		return false;
	w->spare = least < BODY_MAX - sum ? least : BODY_MAX - sum;
	return true;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static bool is_of_bytes(uint64_t id)
{
	return id == COLUMN_KIND || id == COLUMN_STATE || id == COLUMN_CODE || id == COLUMN_EXT || id == COLUMN_TOPS ||
	       id == COLUMN_MORE || id == COLUMN_REGS;
}

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

static void clear(struct column_reader *r, bool v1)
{
	memset(r->there, 0, sizeof(r->there));
	r->bad = false;
	r->unknown = 0;
	for (uint64_t c = 0; c < COLUMNS; c++) {
		r->column[c] = cursor_of(NULL, 0);
		r->form[c] = !v1 && may_be_left_out(c) ? FORM_RANGE : FORM_BYTES;
		r->rice[c] = (struct rice){.limit = 1};
	}
}

bool columns_get(struct column_reader *r, struct cursor *c, bool v1)
{
	uint64_t n = get_varint(c);
	struct {
		uint64_t id, form, len;
	} found[COLUMNS_MAX];

	clear(r, v1);
	if (c->bad || n > sizeof(found) / sizeof(*found))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		found[i].id = get_varint(c);
		found[i].form = get_varint(c);
		found[i].len = get_varint(c);
		if (i && found[i].id <= found[i - 1].id)
			return false;
	}
	for (uint64_t i = 0; i < n && !c->bad; i++) {
		const uint8_t *at = get_bytes(c, found[i].len);

		if (at && !open_column(r, found[i].id, found[i].form, at, found[i].len))
			return false;
	}
	return !c->bad && cursor_left(c) == 0;
}
