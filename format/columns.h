/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns.h - the columns of a samples block (FORMAT.md, "Samples blocks"): their ids in the file, and how values are
 * written and read.
 */
#ifndef FORMAT_COLUMNS_H
#define FORMAT_COLUMNS_H

#include "format/rice.h"
#include "format/wire.h"

enum column {
	COLUMN_KIND = 1,
	COLUMN_DOMAIN = 2,
	COLUMN_TIME = 3,
	COLUMN_PAUSE = 4,
	COLUMN_VCPU = 5,
	COLUMN_STATE = 6,
	COLUMN_CPU = 7,
	COLUMN_STACK = 8,
	COLUMN_PARENT = 9,
	COLUMN_FRAME = 10,
	COLUMN_COUNT = 11,
	COLUMN_CODE = 12,
	COLUMN_EXT = 13,
	COLUMN_PUSH = 14,
	COLUMN_REST = 15,
	COLUMN_TOP = 16,
	COLUMN_SP = 17,
	COLUMN_FP = 18,
	COLUMN_SIZE = 19,
	COLUMN_SKIP = 20,
	COLUMN_WORD = 21,
	COLUMN_COPY = 22,
	COLUMN_REG = 23,
	COLUMN_TOPS = 24,
	COLUMN_MORE = 25,
	COLUMN_ROOT = 26,
	COLUMN_SPACE = 27,
	COLUMN_LINK = 28,
	COLUMN_REGS = 29,
	COLUMN_COPY_SKIP = 30,
	COLUMN_COPY_WORD = 31,
	COLUMNS = 32, /* one more than the highest */
};

/* How a column's values are written; with FORM_REQUIRED, a reader that does not know the column leaves out the block. */
enum column_form { FORM_BYTES = 0, FORM_RICE = 1 };
#define FORM_REQUIRED 0x40

/* The STATE byte. */
#define STATE_RUN_MASK 0x03
#define STATE_USER 0x04
#define STATE_END_SHIFT 3
#define STATE_END_MASK 0x0f
#define STATE_VMM 0x80

/* The MORE byte: the mode, and which optional values the sample has. */
#define MORE_MODE_MASK 0x0f
#define MORE_ROOT 0x10
#define MORE_LINK 0x20
#define MORE_REGS 0x40
#define MORE_RESERVED 0x80

/* --- writing: whoever adds has asked for the room before --------------------------------------------------------- */

struct column_writer {
	struct column_buffer {
		uint8_t *data;
		size_t len, room;
	} column[COLUMNS];
};

static inline size_t column_room(const struct column_writer *w, enum column c)
{
	return w->column[c].room - w->column[c].len;
}

static inline void add_u8(struct column_writer *w, enum column c, uint8_t v)
{
	w->column[c].data[w->column[c].len++] = v;
}

static inline void add_varint(struct column_writer *w, enum column c, uint64_t v)
{
	w->column[c].len += put_varint(w->column[c].data + w->column[c].len, v);
}

static inline void add_zigzag(struct column_writer *w, enum column c, uint64_t difference)
{
	add_varint(w, c, zigzag((int64_t)difference));
}

/* --- reading: past the end all is 0, and the column bad ---------------------------------------------------------- */

struct column_reader {
	struct cursor column[COLUMNS];
	struct rice rice[COLUMNS]; /* in use where is_rice */
	bool is_rice[COLUMNS];
	bool there[COLUMNS];
};

static inline uint64_t column_number(struct column_reader *r, enum column c)
{
	return r->is_rice[c] ? rice_next(&r->rice[c]) : get_varint(&r->column[c]);
}

static inline int64_t column_difference(struct column_reader *r, enum column c)
{
	return unzigzag(column_number(r, c));
}

static inline bool column_bad(const struct column_reader *r, enum column c)
{
	return r->is_rice[c] ? r->rice[c].bad : r->column[c].bad;
}

static inline bool column_done(const struct column_reader *r, enum column c)
{
	return r->is_rice[c] ? rice_done(&r->rice[c]) : cursor_left(&r->column[c]) == 0;
}

#endif
