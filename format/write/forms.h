/* SPDX-License-Identifier: BSD-2-Clause */
/* forms.h - a column takes the form that will be shortest in a compressed block (FORMAT.md, "Forms"). */
#ifndef FORMAT_WRITE_FORMS_H
#define FORMAT_WRITE_FORMS_H

#include "format/samples/columns.h"

/* Room for a column's numbers, and for compressing. */
struct forms;

struct forms *forms_new(void); /* NULL: no memory */
void forms_free(struct forms *f);
/* Compresses as blocks are: the bytes at @to, of @room; 0: there is no room. */
size_t forms_compress(struct forms *f, const uint8_t *from, size_t len, uint8_t *to, size_t room);
/* Writes a block's columns to @at, behind its parameters, each in its form. The bytes used. */
size_t forms_put(struct forms *f, const struct column_writer *w, const struct column_facts *facts, uint8_t *at);

#endif
