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
 * The registers one after the other, so that LZ4 finds those that stay alike. Behind the column's own bytes there is
 * room in every block for their lengths.
 */
static size_t put_split(const struct column_buffer *column, uint32_t nregs, uint8_t *at)
{
	size_t lengths[UPF_REGS_MAX] = {0}, n = put_varint(at, nregs);
	uint32_t reg = 0;

	for (size_t i = 0; i < column->len; i++) {
		lengths[reg]++;
		reg = column->data[i] < 0x80 ? (reg + 1) % nregs : reg;
	}
	for (uint32_t r = 0; r < nregs; r++) {
		n += put_varint(at + n, lengths[r]);
		lengths[r] = (r ? lengths[r - 1] : 0) + lengths[r];
	}
	for (uint32_t r = nregs; r-- > 0;) /* where each begins */
		lengths[r] = r ? lengths[r - 1] : 0;
	for (size_t i = 0; i < column->len; i++) {
		at[n + lengths[reg]++] = column->data[i];
		reg = column->data[i] < 0x80 ? (reg + 1) % nregs : reg;
	}
	return n + column->len;
}

/*
 * Writes column @c to @at, which has room for its bytes, in the form *form. @nregs: of REG, if all samples have so many
 * registers, else 0. The bytes used.
 */
static size_t put_column(struct upf_packer *p, enum column c, const struct column_buffer *column, uint32_t nregs,
                         uint8_t *at, uint8_t *form)
{
	struct cursor from = cursor_of(column->data, column->len);
	size_t n = 0, best;

	*form = FORM_BYTES;
	if (p && c == COLUMN_REG && nregs) {
		*form = FORM_SPLIT;
		return put_split(column, nregs, at);
	}
	if (p && !is_of_bytes(c)) {
		best = packer_compress(p, column->data, column->len, p->spare);
		best = best && best < column->len ? best : column->len;
		while (cursor_left(&from))
			p->numbers[n++] = get_varint(&from);
		if (is_better(p, at, rice_encode(p->spare, best, p->numbers, n, is_large(c) ? RICE_K_LARGE : 0),
		              &best))
			*form = FORM_RICE;
		if (!is_large(c) && is_better(p, at, range_encode(p->spare, best, p->numbers, n), &best))
			*form = FORM_RANGE;
		if (*form != FORM_BYTES)
			return best;
	}
	memcpy(at, column->data, column->len);
	return column->len;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static bool is_zero(const struct column_buffer *c)
{
	return c->data[0] == 0 && memcmp(c->data, c->data + 1, c->len - 1) == 0;
}

/* Empty, or the same as if it were not there. */
static bool is_left_out(const struct column_writer *w, const struct column_facts *facts, int c)
{
	const struct column_buffer *column = &w->column[c];

	return column->len == 0 || facts->left_out >> c & 1 || (may_be_left_out((uint64_t)c) && is_zero(column));
}

size_t forms_put(struct upf_packer *p, const struct column_writer *w, const struct column_facts *facts, uint8_t *at)
{
	uint8_t head[VARINT_MAX + COLUMNS * (2 + VARINT_MAX)], *body = at + sizeof(head);
	size_t n, total = 0, columns = 0;

	for (int c = 0; c < COLUMNS; c++)
		columns += !is_left_out(w, facts, c);
	n = put_varint(head, columns);
	for (int c = 0; c < COLUMNS; c++) {
		size_t len;

		if (is_left_out(w, facts, c))
			continue;
		head[n++] = (uint8_t)c;
		len = put_column(p, c, &w->column[c], facts->nregs, body + total, &head[n++]);
		n += put_varint(head + n, len);
		total += len;
	}
	memcpy(at, head, n);
	memmove(at + n, body, total);
	return n + total;
}
