/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - weights summed up by the keys of --sort: one row for each different combination of them. Frames of one
 * stack that fall into the same row count once.
 */
#ifndef REPORT_FOLD_TABLE_H
#define REPORT_FOLD_TABLE_H

#include "report/fold/fold.h"

enum key { KEY_SYM, KEY_DOM, KEY_VCPU, KEY_SPACE, KEY_IMAGE, KEY_LINE, KEY_ADDRESS, KEY_STATE, KEY_TIME, KEYS };

/* The keys that rows differ in, in the order of the columns. */
struct keys {
	uint8_t key[KEYS];
	unsigned n;
	bool merge_nameless; /* code without a name is one function, [unknown] */
};

/* "sym,dom,...": 0, or -1 with a reason in @why. */
int keys_parse(struct keys *keys, const char *list, char *why, size_t size);
bool keys_has(const struct keys *keys, enum key key);
/* Do frames of one stack differ in one of them, so that what a row has in all differs from its own? */
bool keys_of_frames(const struct keys *keys);
const char *key_title(enum key key);
/* The same for programs to read, in lower case. */
const char *key_heading(enum key key);

struct table_row {
	uint32_t text[KEYS]; /* by column: its text, stored as a function of the names */
	struct fold_weights w;
	uint32_t slot; /* of time, if that is a key: what rows are sorted by for it */
	size_t stack;  /* the one counted last */
};

struct table {
	struct keys keys;
	HASH_ARRAY(struct table_row, rows, n, by_text);
};

/* Of what @request asks for, as fold_make(). 0, or a negative errno with nothing to free. */
int table_make(struct table *t, const struct keys *keys, const struct fold_request *request);
void table_free(struct table *t);

/* Which row comes first; if time is the first key, it goes on from row to row whatever is here. */
struct table_order {
	const struct fold *changes; /* the largest change of the share of this comes first; NULL: the largest row */
	bool by_total;              /* not by self */
};
/* The text of a row in a column of keys. */
static inline const char *table_text(const struct symbolizer *names, const struct table_row *row, unsigned column)
{
	return names->functions[row->text[column]].name;
}
/* The weights of a row that it is sorted by. */
static inline const uint64_t *table_weights(const struct table_row *row, bool by_total)
{
	return by_total ? row->w.total : row->w.self;
}
/* Sorts the rows, equal ones by their keys. 0 or -ENOMEM. */
int table_sort(struct table *t, const struct symbolizer *names, const struct table_order *order);

#endif
