/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_table.h - tables of frames and functions, for formats that refer to them by number. Each different frame is
 * there once; so is each function, identified by its name and source file.
 */
#ifndef REPORT_EXPORT_FRAME_TABLE_H
#define REPORT_EXPORT_FRAME_TABLE_H

#include "report/profile/callchain.h"
#include "common/hash_array.h"

struct table_function {
	const char *file;  /* where its source is, NULL: not known; the names', which have each once */
	uint32_t function; /* of the names */
};

struct table_frame {
	uint32_t function;     /* of the table */
	uint32_t line;         /* in the function's file, 0: not known */
	uint64_t address;      /* as recorded; 0: no code */
	uint64_t offset;       /* behind the function's start */
	uint32_t inline_depth; /* functions that this one is inlined into at this address */
	uint32_t caller;       /* 1: @address is a return address */
};

/* Zero-initialise, frame_table_free() at the end. */
struct frame_table {
	HASH_ARRAY(struct table_function, functions, nfunctions, by_function);
	HASH_ARRAY(struct table_frame, frames, nframes, by_frame);
	uint32_t *ids; /* what frame_table_chain() found: a number for each frame of the stack */
	size_t ids_cap;
};

/* Finds or adds the frames of @c, and stores their numbers in t->ids, root first. 0 or -ENOMEM, -EOVERFLOW. */
int frame_table_chain(struct frame_table *t, const struct callchain *c);
void frame_table_free(struct frame_table *t);

/* An address within the frame's instruction: a return address is behind it. */
static inline uint64_t frame_table_code(const struct table_frame *f)
{
	return f->address - (f->caller && f->address);
}

#endif
