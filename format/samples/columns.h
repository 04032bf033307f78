/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns.h - the columns of a samples block (FORMAT.md, "Samples blocks"): their ids in the file, and how values are
 * written and read.
 */
#ifndef FORMAT_SAMPLES_COLUMNS_H
#define FORMAT_SAMPLES_COLUMNS_H

#include "format/bytes/rice.h"
#include "format/upf.h"
#include "format/bytes/wire.h"

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
	COLUMN_STEP = 32,
	COLUMN_LATE = 33,
	COLUMN_LEAF = 34,
	COLUMN_RUN = 35,
	COLUMN_BRANCH = 36,
	COLUMN_EXIT = 37,
	COLUMN_HOST = 38,
	COLUMNS = 39, /* one more than the highest */
};
#define COLUMNS_MAX 64 /* in a block */

/*
 * How a column's values are written; with FORM_REQUIRED, a reader that does not know the column leaves out the
 * block.
 */
enum column_form { FORM_BYTES = 0, FORM_RICE = 1, FORM_RANGE = 2, FORM_SPLIT = 3 };
#define FORM_REQUIRED 0x40

/* Of what must cost a byte, or a block could make more of it than it has bytes. */
#define RICE_K_LARGE 7
static inline bool is_large(uint64_t c)
{
	return c == COLUMN_FRAME || c == COLUMN_LEAF || c == COLUMN_WORD || c == COLUMN_COPY_WORD || c == COLUMN_REG ||
	       c == COLUMN_SPACE;
}

/* Columns of single bytes, and EXT: they have no other form than bytes. */
static inline bool is_of_bytes(uint64_t c)
{
	return c == COLUMN_KIND || c == COLUMN_STATE || c == COLUMN_CODE || c == COLUMN_EXT || c == COLUMN_TOPS ||
	       c == COLUMN_MORE || c == COLUMN_REGS || c == COLUMN_EXIT;
}

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

/*
 * What reads as 0 where the column is left out; other numbers each cost a byte, so that memory is limited by it. In
 * blocks of version 1 this holds for later columns only.
 */
static inline bool may_be_left_out(uint64_t c)
{
	return c != COLUMN_KIND && c != COLUMN_EXT && c != COLUMN_TOP && c != COLUMN_COPY && c != COLUMN_TOPS &&
	       !is_large(c);
}

/* --- writing: whoever adds has asked for the room before --------------------------------------------------------- */

/* Each column could take the whole block. The system gives memory only to the pages that are written. */
struct column_writer {
	struct column_buffer {
		uint8_t *data;
		size_t len;
	} column[COLUMNS];
	uint8_t *memory;
	size_t spare; /* bytes that the block still has room for, at least */
};

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

/* An item of EXT. */
static inline void add_item(struct column_writer *w, const uint8_t *item, size_t n)
{
	add_varint(w, COLUMN_EXT, n);
	memcpy(w->column[COLUMN_EXT].data + w->column[COLUMN_EXT].len, item, n);
	w->column[COLUMN_EXT].len += n;
}

bool columns_alloc(struct column_writer *w); /* false: no memory */
void columns_free(struct column_writer *w);
void columns_reset(struct column_writer *w);

void columns_count_spare(struct column_writer *w);

/* True: there is room for @need bytes, however they are shared among the columns, and they are taken. */
static inline bool columns_fit(struct column_writer *w, size_t need)
{
	if (need > w->spare)
		columns_count_spare(w);
	if (need > w->spare)
		return false;
	w->spare -= need;
	return true;
}

/* --- reading: past the end all is 0, and the reader bad ---------------------------------------------------------- */

struct column_reader {
	struct cursor column[COLUMNS];
	struct rice rice[COLUMNS]; /* in use unless the form is FORM_BYTES */
	uint8_t form[COLUMNS];
	bool there[COLUMNS];
	bool bad;                          /* a value past the end of its column was asked for, or one that is none */
	uint32_t unknown;                  /* the first required column that is not known, 0: none */
	struct cursor split[UPF_REGS_MAX]; /* REG, register by register, if its form is FORM_SPLIT */
};

/* Inlined for its constant @c: this is what decoding costs most. */
static inline __attribute__((always_inline)) uint64_t column_number(struct column_reader *r, enum column c)
{
	struct cursor *bytes = &r->column[c];
	uint64_t v;

	if (r->form[c] == FORM_BYTES) {
		if (bytes->at < bytes->end && *bytes->at < 0x80)
			return *bytes->at++;
		v = get_long_varint(bytes);
		r->bad |= bytes->bad;
		return v;
	}
	if (r->form[c] == FORM_RANGE && r->rice[c].limit == 1) /* as in columns that are left out */
		return r->rice[c].base;
	v = r->form[c] == FORM_RICE ? rice_next(&r->rice[c]) : range_next(&r->rice[c]);
	r->bad |= r->rice[c].bad;
	return v;
}

/* Of a column of bytes, which may be left out. */
static inline uint8_t column_byte(struct column_reader *r, enum column c)
{
	struct cursor *bytes = &r->column[c];

	if (r->form[c] != FORM_BYTES)
		return 0;
	if (bytes->at < bytes->end)
		return *bytes->at++;
	r->bad = true;
	return 0;
}

static inline __attribute__((always_inline)) int64_t column_difference(struct column_reader *r, enum column c)
{
	return unzigzag(column_number(r, c));
}

/* The next value of register @r, in REG. */
static inline int64_t column_register(struct column_reader *r, unsigned reg)
{
	int64_t v;

	if (r->form[COLUMN_REG] != FORM_SPLIT)
		return column_difference(r, COLUMN_REG);
	v = get_zigzag(&r->split[reg]);
	r->bad |= r->split[reg].bad;
	return v;
}

static inline bool column_done(const struct column_reader *r, enum column c)
{
	size_t left = cursor_left(&r->column[c]);

	for (unsigned i = 0; r->form[c] == FORM_SPLIT && i < UPF_REGS_MAX; i++)
		left += cursor_left(&r->split[i]);
	return r->form[c] == FORM_BYTES || r->form[c] == FORM_SPLIT ? left == 0 : rice_done(&r->rice[c]);
}

/* The next item of EXT; its @bad is set if there is none. */
static inline struct cursor column_item(struct column_reader *r)
{
	struct cursor *ext = &r->column[COLUMN_EXT];
	uint64_t size = get_varint(ext);
	const uint8_t *at = get_bytes(ext, size);

	return at ? cursor_of(at, size) : (struct cursor){.bad = true};
}

/* Reads which columns a block has. False: it is damaged. */
bool columns_get(struct column_reader *r, struct cursor *c, bool v1);

#endif
