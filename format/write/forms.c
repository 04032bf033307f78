/* SPDX-License-Identifier: BSD-2-Clause */
/* forms.c - a column takes the form that will be shortest in a compressed block (FORMAT.md, "Forms"). */
#include "format/write/packer.h"

/* If the column in p->spare, of @n bytes, is one and not larger than what was best. */
static bool is_better(struct upf_packer *p, uint8_t *at, size_t n, size_t *best)
{
	if (n == 0 || n >= *best)
		return false;
	memcpy(at, p->spare, n);
	*best = n;
	return true;
}

/*
 * The @n registers in p->numbers one after the other, so that LZ4 finds those that stay alike. Behind the column's own
 * bytes there is room in every block for their lengths.
 */
static size_t put_split(struct upf_packer *p, size_t n, uint32_t nregs, uint8_t *at)
{
	size_t used = put_varint(at, nregs), len = 0;

	for (uint32_t r = 0; r < nregs; r++) {
		size_t before = len;

		for (size_t i = r; i < n; i += nregs)
			len += put_varint(p->spare + len, p->numbers[i]);
		used += put_varint(at + used, len - before);
	}
	memcpy(at + used, p->spare, len);
	return used + len;
}

/* Writes column @c to @at, which has room for its bytes, in the form *form. @nregs: see forms_put(). The bytes used. */
static size_t put_form(struct upf_packer *p, enum column c, const struct column_buffer *column, uint32_t nregs,
                       uint8_t *at, uint8_t *form)
{
	struct cursor from = cursor_of(column->data, column->len);
	const unsigned least_k = is_large(c) ? RICE_K_LARGE : 0;
	size_t n = 0, best;

	*form = FORM_BYTES;
	memcpy(at, column->data, column->len);
	if (!p || is_of_bytes(c))
		return column->len;
	while (cursor_left(&from))
		p->numbers[n++] = get_varint(&from);
	if (c == COLUMN_REG && nregs) {
		*form = FORM_SPLIT;
		return put_split(p, n, nregs, at);
	}
	best = packer_compress(p, column->data, column->len, p->spare);
	best = best && best < column->len ? best : column->len;
	if (is_better(p, at, rice_encode(p->spare, best, p->numbers, n, least_k), &best))
		*form = FORM_RICE;
	if (!is_large(c) && is_better(p, at, range_encode(p->spare, best, p->numbers, n), &best))
		*form = FORM_RANGE;
	return *form == FORM_BYTES ? column->len : best;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

/* Empty, or the same as if it were not there: all zero, or all samples come with the same. */
static bool is_column_left_out(const struct column_buffer *column, enum column c)
{
	const uint8_t *data = column->data;

	return column->len == 0 || ((c == COLUMN_TOPS || (may_be_left_out(c) && data[0] == 0)) &&
	                            memcmp(data, data + 1, column->len - 1) == 0);
}

size_t forms_put(struct upf_packer *p, const struct column_writer *w, uint32_t nregs, uint8_t *at)
{
	uint8_t head[VARINT_MAX + COLUMNS * (2 + VARINT_MAX)], *body = at + sizeof(head);
	size_t n, total = 0, columns = 0;

	for (enum column c = 0; c < COLUMNS; c++)
		columns += !is_column_left_out(&w->column[c], c);
	n = put_varint(head, columns);
	for (enum column c = 0; c < COLUMNS; c++) {
		size_t len;

		if (is_column_left_out(&w->column[c], c))
			continue;
		head[n++] = (uint8_t)c;
		len = put_form(p, c, &w->column[c], nregs, body + total, &head[n++]);
		n += put_varint(head + n, len);
		total += len;
	}
	memcpy(at, head, n);
	memmove(at + n, body, total);
	return n + total;
}
