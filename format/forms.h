/* SPDX-License-Identifier: BSD-2-Clause */
/* forms.h - a column takes the form that will be shortest in a compressed block (FORMAT.md, "Forms"). */
#ifndef FORMAT_FORMS_H
#define FORMAT_FORMS_H

#include "format/columns.h"

/* Room for a column's numbers, and for compressing. */
struct forms;

struct forms *forms_new(void); /* NULL: no memory */
void forms_free(struct forms *f);
/* Compresses as blocks are: the bytes at @to, of @room; 0: there is no room. */
size_t forms_compress(struct forms *f, const uint8_t *from, size_t len, uint8_t *to, size_t room);
/*
 * Writes column @c to @at, which has room for its bytes, in the form *form. @limits, of columns whose numbers have
 * them, else NULL: one for each number. @nregs: of REG, if all samples have so many registers, else 0. The bytes used.
 */
size_t forms_put(struct forms *f, enum column c, const struct column_buffer *column, const uint32_t *limits,
                 uint32_t nregs, uint8_t *at, uint8_t *form);

#endif
