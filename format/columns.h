/* SPDX-License-Identifier: BSD-2-Clause */
/* columns.h - the columns of a samples block (FORMAT.md, "Samples blocks"): ids as in the file. */
#ifndef FORMAT_COLUMNS_H
#define FORMAT_COLUMNS_H

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
	COLUMNS = 16, /* one more than the highest */
};

/* How a column's values are written. */
enum column_form { FORM_BYTES = 0, FORM_RICE = 1 };

/* The STATE byte. */
#define STATE_RUN_MASK 0x03
#define STATE_USER 0x04
#define STATE_END_SHIFT 3
#define STATE_END_MASK 0x0f
#define STATE_RESERVED 0x80

#endif
